// Makes what the Python package carries and git does not: the Readability sidecar with its dependencies in one file, the
// fonts of the pages, and the pages' scripts and stylesheet without comments and spaces. Licences come along.
import { createHash } from "node:crypto";
import { appendFile, copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build, transform } from "esbuild";

const sidecar = "../src/kept/subprocesses/readability.bundle.cjs";
const sources = "../src/kept/web/static";
const assets = "../src/kept/web/bundled";
const serif = "node_modules/@fontsource/source-serif-4";
const sans = "node_modules/@fontsource-variable/figtree";
// What linkedom imports and Readability does not need: half of the bundle, which Node reads each time it starts.
const STAND_INS = [
  [/\/event-target\.js$/, "event-target.mjs"],
  [/^@acemir\/cssom$/, "style-sheets.mjs"],
  [/^htmlparser2$/, "node_modules/htmlparser2/dist/esm/Parser.js"],
  [/\/canvas\.cjs$/, "node_modules/linkedom/commonjs/canvas-shim.cjs"],
];
const FONTS = {
  "serif": [serif, "source-serif-4-latin-400-normal"],
  "serif-ext": [serif, "source-serif-4-latin-ext-400-normal"],
  "serif-italic": [serif, "source-serif-4-latin-400-italic"],
  "serif-italic-ext": [serif, "source-serif-4-latin-ext-400-italic"],
  "serif-600": [serif, "source-serif-4-latin-600-normal"],
  "serif-600-ext": [serif, "source-serif-4-latin-ext-600-normal"],
  "sans": [sans, "figtree-latin-wght-normal"],
  "sans-ext": [sans, "figtree-latin-ext-wght-normal"],
  "sans-italic": [sans, "figtree-latin-wght-italic"],
  "sans-italic-ext": [sans, "figtree-latin-ext-wght-italic"],
};

async function findLicence(folder) {
  const licence = (await readdir(folder)).find((name) => /^licen[cs]e/i.test(name));
  if (!licence) throw new Error(`${folder} has no licence file`);
  return `${folder}/${licence}`;
}

async function bundleSidecar(bundle) {
  const withStandIns = {
    name: "with-stand-ins",
    setup({ onResolve }) {
      for (const [filter, file] of STAND_INS) {
        const path = fileURLToPath(new URL(file, import.meta.url));
        onResolve({ filter }, () => ({ path }));
      }
    },
  };
  const { metafile } = await build({
    entryPoints: ["sidecar.mjs"],
    outfile: bundle,
    bundle: true,
    minify: true,
    metafile: true,
    format: "cjs", // a module takes longer to start
    platform: "node",
    target: "node18",
    plugins: [withStandIns],
  });
  const bundled = Object.keys(metafile.inputs).map((path) => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]);
  for (const folder of [...new Set(bundled)].filter(Boolean).sort()) {
    const licence = await findLicence(folder);
    const text = await readFile(licence, "utf8");
    await appendFile(bundle, `\n/* ${licence}\n${text.replaceAll("*/", "* /")}\n*/\n`);
  }
}

async function copyFonts(folder) {
  await mkdir(folder, { recursive: true });
  for (const [name, [from, file]] of Object.entries(FONTS)) await copyFile(`${from}/files/${file}.woff2`, `${folder}/${name}.woff2`);
  await copyFile(await findLicence(serif), `${folder}/LICENSE-source-serif-4.txt`);
  await copyFile(await findLicence(sans), `${folder}/LICENSE-figtree.txt`);
}

// The digest tells which sources these were made of: of others, the server shows the sources themselves.
async function minifyAssets(folder) {
  const digest = createHash("sha256");
  const names = (await readdir(sources)).filter((name) => /\.(?:js|css)$/.test(name)).sort();
  for (const name of names) {
    const source = await readFile(`${sources}/${name}`);
    digest.update(name).update(source);
    const options = { loader: name.endsWith(".js") ? "js" : "css", minify: true, treeShaking: true, charset: "utf8", target: "esnext" };
    // As a module, whose own names nobody else uses, and may be short.
    if (options.loader === "js") options.format = "esm";
    await writeFile(`${folder}/${name}`, (await transform(source.toString(), options)).code);
  }
  await writeFile(`${folder}/sources.sha256`, digest.digest("hex"));
}

await bundleSidecar(`${sidecar}.new`);
await rename(`${sidecar}.new`, sidecar);
await rm(`${assets}.new`, { recursive: true, force: true });
await copyFonts(`${assets}.new/fonts`);
await minifyAssets(`${assets}.new`);
await rm(assets, { recursive: true, force: true });
await rename(`${assets}.new`, assets);
