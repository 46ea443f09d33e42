// Cards by touch: to the left archives, to the right makes a favourite; the same again undoes it. The stylesheet leaves
// vertical movement to the browser (`touch-action`), so that scrolling is never held up.

import { find } from "./page.js";

const FAR = 90; // pixels after which letting go does it
let card, startX, by;

const isFar = () => Math.abs(by) > FAR;

function move({ clientX }) {
  by = clientX - startX;
  if (Math.abs(by) < 12) return;
  card.dataset.swipe = (by < 0 ? "archive" : "star") + (isFar() ? " far" : "");
  card.style.translate = `${by}px`;
}

function end({ type }) {
  card.removeEventListener("pointermove", move);
  const button = type === "pointerup" && isFar() && find(by < 0 ? ".archive" : ".star", card);
  card.style.translate = "";
  delete card.dataset.swipe;
  if (button) button.click();
}

export function start(list) {
  list.addEventListener("pointerdown", (event) => {
    card = event.pointerType === "touch" && event.isPrimary && event.target.closest(".card[data-item]");
    if (!card) return;
    [startX, by] = [event.clientX, 0];
    card.addEventListener("pointermove", move);
    for (const type of ["pointerup", "pointercancel"]) card.addEventListener(type, end, { once: true });
  });
}
