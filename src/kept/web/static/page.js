// What the other modules share: talking to the server, and saying things on the page.

export const find = (selector, within = document) => within.querySelector(selector);
export const findAll = (selector, within = document) => [...within.querySelectorAll(selector)];

// Ask the server for a piece of a page. An error it explains is thrown in its own words.
export async function ask(address, options = {}) {
  const answer = await fetch(address, {
    ...options,
    headers: { "Kept-Fragment": "1", Accept: "text/html, application/json", ...options.headers },
  });
  if (answer.status === 401) location.reload();
  if (!answer.ok) {
    const said = await answer.json().catch(() => null);
    const error = new Error(said?.error?.message ?? "That did not work. Try again.");
    error.status = answer.status;
    throw error;
  }
  return answer;
}

export const send = (form, button) => {
  const said = new URLSearchParams(new FormData(form));
  if (button?.name) said.append(button.name, button.value);
  return ask(form.getAttribute("action") || location.href, { method: "POST", body: said });
};

export function pieces(html) {
  const holder = document.createElement("template");
  holder.innerHTML = html;
  return holder.content;
}

// A message at the foot of the page, for a while; a screen reader hears it too.
let fading;
export function announce(message) {
  const news = find("#news");
  if (typeof message === "string") {
    const box = document.createElement("div");
    box.className = "notice";
    const text = document.createElement("p");
    text.textContent = message;
    box.append(text);
    message = box;
  }
  message.removeAttribute("role");
  news.replaceChildren(message);
  clearTimeout(fading);
  fading = setTimeout(() => news.replaceChildren(), 12000);
}
