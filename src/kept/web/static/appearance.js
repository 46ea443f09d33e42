// Colours and type change as they are chosen, and are kept for the next time.

import { announce, find, findAll, send } from "./page.js";

export function start() {
  for (const form of findAll("form.appearance")) {
    find(".apply", form).hidden = true;
    form.addEventListener("change", ({ target }) => {
      document.documentElement.dataset[target.name] = target.value;
      send(form).catch((problem) => announce(problem.message));
    });
  }
}
