// Times in the reader's time zone and the language of the page. The server writes UTC, which is what stays without scripts.

const { lang } = document.documentElement;
// The browser's own variety of the language, as `en-US`, where it has one.
const locale = navigator.languages.find((tag) => tag.startsWith(lang)) ?? lang;
const format = (options) => new Intl.DateTimeFormat(locale, options);
const TITLE = format({ dateStyle: "long", timeStyle: "long" }); // names the time zone
const TEXT = {
  date: format({ dateStyle: "long" }),
  short: format({ dateStyle: "medium" }),
  exact: format({ dateStyle: "long", timeStyle: "medium" }),
};

// A relative time ("3 hours ago") keeps its text: it is the same everywhere.
export function localizeTimes(root) {
  for (const time of root.querySelectorAll("time[data-format]")) {
    const moment = new Date(time.dateTime);
    const text = TEXT[time.dataset.format];
    time.title = TITLE.format(moment);
    if (!text) continue;
    time.textContent = text.format(moment);
    time.lang = text.resolvedOptions().locale;
  }
}

// Days begin when they do where the reader is.
export function sendZone(root) {
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  for (const field of root.querySelectorAll("input[name=zone]")) field.value = zone;
  for (const link of root.querySelectorAll("a[data-zone]")) {
    const url = new URL(link.href);
    url.searchParams.set("zone", zone);
    link.href = url;
  }
}
