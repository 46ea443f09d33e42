// Sign in again where one is, when the session has ended: the page and what was typed into it stay.

import { find, make, onSubmit, parseFragment, request, t } from "./page.js";

let asking;

// Whether the user signed in. Several requests that fail at once ask once.
export function signInAgain() {
  asking ??= ask().finally(() => { asking = undefined; });
  return asking;
}

async function ask() {
  const form = find("form.panel", parseFragment(await (await fetch("/sign-in")).text()));
  if (!form) return false;
  const dialog = make("dialog");
  const { name, password } = form.elements;
  dialog.setAttribute("aria-labelledby", (find("h1", form).id = "session-title"));
  find("p", form).textContent = t("You were signed out. Sign in to go on; nothing on this page is lost.");
  name.value = document.body.dataset.user;
  name.readOnly = true;
  name.autofocus = false;
  password.autofocus = true;
  dialog.append(form);
  document.body.append(dialog);
  dialog.showModal();
  onSubmit("form", () => signIn(dialog, form), dialog);
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "signed in");
    });
  });
}

async function signIn(dialog, form) {
  try {
    await request("/sign-in", { method: "POST", body: new URLSearchParams(new FormData(form)), quiet: true });
    dialog.close("signed in");
    document.dispatchEvent(new Event("signed-in"));
  } catch (problem) {
    showFormError(form, problem.message, form.elements.password);
  }
}

// An error in its form, with the focus on the field it is about.
export function showFormError(form, message, field) {
  const error = find(".error", form) ?? make("p");
  Object.assign(error, { className: "error", id: "form-error", role: "alert", textContent: message });
  find("label", form).before(error);
  field.ariaInvalid = "true";
  field.setAttribute("aria-describedby", error.id);
  field.focus();
}
