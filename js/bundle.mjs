// Bundles the sidecar and its dependencies, with their licences, into the one file that the Python package carries.
import { appendFile, readdir, readFile, rename } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const bundle = "../src/kept/subprocesses/readability.bundle.mjs";
const unfinished = `${bundle}.new`;
const eventTarget = fileURLToPath(new URL("event-target.mjs", import.meta.url));

const withoutEvents = {
  name: "without-events",
  setup({ onResolve }) {
    onResolve({ filter: /\/event-target\.js$/ }, () => ({ path: eventTarget }));
  },
};

const { metafile } = await build({
  entryPoints: ["sidecar.mjs"],
  outfile: unfinished,
  bundle: true,
  minify: true,
  metafile: true,
  format: "esm",
  platform: "node",
  target: "node18",
  plugins: [withoutEvents],
});

const bundled = Object.keys(metafile.inputs).map((path) => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]);
for (const folder of [...new Set(bundled)].filter(Boolean).sort()) {
  const licence = (await readdir(folder)).find((name) => /^licen[cs]e/i.test(name));
  if (!licence) throw new Error(`${folder} has no licence file`);
  const text = await readFile(`${folder}/${licence}`, "utf8");
  await appendFile(unfinished, `\n/* ${folder}/${licence}\n${text.replaceAll("*/", "* /")}\n*/\n`);
}
await rename(unfinished, bundle);
