// The place in a list: kept when one leaves it, found again when one comes back, also many pages down.

// Twenty pages: who was further down begins there.
const MAX_CARDS = 480;

const keyOf = (list) => `list ${list.dataset.back}`;

export function rememberPlace(list, cards) {
  const first = cards.find((card) => card.getBoundingClientRect().bottom > 0);
  if (!first) return;
  const place = { item: first.dataset.item, top: first.getBoundingClientRect().top, count: cards.length };
  sessionStorage.setItem(keyOf(list), JSON.stringify(place));
}

export async function returnToPlace(list, { cardOf, cards, loadMore, makeCurrent }) {
  const place = JSON.parse(sessionStorage.getItem(keyOf(list)));
  const opened = new URL(document.referrer || location.href).pathname.match(/^\/(?:read|history)\/(.+)/)?.[1];
  const type = performance.getEntriesByType("navigation")[0]?.type ?? "navigate";
  if (!place || (type === "navigate" && !opened)) return;
  history.scrollRestoration = "manual";
  try {
    while (cards().length < Math.min(place.count, MAX_CARDS) && (await loadMore()));
  } catch {
    // as far as it went
  }
  const card = cardOf(place.item);
  if (card) scrollTo({ top: scrollY + card.getBoundingClientRect().top - place.top, behavior: "instant" });
  if (opened) makeCurrent(cardOf(opened));
}
