// Theme and type change as soon as they are chosen, and are saved on the server.

import { find, findAll, guard, submit } from "./page.js";

export function start() {
  for (const form of findAll("form.appearance")) {
    find(".apply", form).hidden = true;
    form.addEventListener("change", ({ target }) => {
      document.documentElement.dataset[target.name] = target.value;
      const colour = getComputedStyle(document.body).backgroundColor;
      for (const meta of findAll("meta[name=theme-color]")) meta.content = colour;
      guard(submit(form));
    });
  }
}
