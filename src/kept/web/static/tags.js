// Completes each tag in a field that takes several, separated by commas: the suggestions begin with what is there.

import { find, findAll, make, requestFragment } from "./page.js";

const SHOWN = 20;

export async function complete(input) {
  if (input.dataset.completes) return;
  input.dataset.completes = "yes";
  const library = input.dataset.library ?? find("#cards")?.dataset.library ?? "";
  const options = await requestFragment(`/tags?library=${library}`, { quiet: true }).catch(() => make("i"));
  const tags = findAll("option", options).map((option) => option.value);
  const suggest = () => {
    const entered = input.value.split(",");
    const typed = entered.pop().trim().toLowerCase();
    const before = entered.map((tag) => `${tag.trim()}, `).join("");
    const taken = new Set(entered.map((tag) => tag.trim().toLowerCase()));
    const fitting = tags.filter((tag) => tag.includes(typed) && !taken.has(tag));
    const beginning = fitting.filter((tag) => tag.startsWith(typed));
    const found = new Set([...beginning, ...fitting]);
    find("#known-tags").replaceChildren(...[...found].slice(0, SHOWN).map((tag) => new Option("", before + tag)));
  };
  for (const event of ["input", "focus"]) input.addEventListener(event, suggest);
  suggest();
}
