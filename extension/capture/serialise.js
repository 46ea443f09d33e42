// Runs in the page, when somebody saves it as they see it: the document as HTML, without scripts.
// Not a module: what the last expression is goes to whoever injected it.
(() => {
  const MOST_CHARACTERS = 30_000_000;
  const MOST_IMAGE_BYTES = 15_000_000;
  const IMAGE_SECONDS = 10;
  const LEFT_OUT = new Set(["SCRIPT", "NOSCRIPT", "TEMPLATE"]);
  const LAZY = ["srcset", "sizes", "loading", "data-src", "data-srcset", "data-lazy-src", "data-original"];

  const inert = document.implementation.createHTMLDocument("");
  const ownImages = [];
  let characters = 0;

  function isLeftOut(node) {
    if (node.nodeType === Node.TEXT_NODE) return false;
    if (node.nodeType !== Node.ELEMENT_NODE) return true;
    if (node.tagName === "SCRIPT") return node.type !== "application/ld+json";
    return LEFT_OUT.has(node.tagName) || (node.tagName === "SOURCE" && hasChosenImage(node.parentElement));
  }

  function hasChosenImage(parent) {
    return parent?.tagName === "PICTURE" && isLoaded(parent.querySelector("img"));
  }

  /** Larger than the one pixel that stands in for an image that is not there yet. */
  function isLoaded(image) {
    return Boolean(image?.complete && image.naturalWidth > 1 && image.currentSrc);
  }

  /** What a person sees below a node: the shadow tree of a host, and for a slot what is put into it. */
  function* childrenOf(node) {
    for (const child of (node.shadowRoot ?? node).childNodes) {
      const assigned = child instanceof HTMLSlotElement ? child.assignedNodes() : [];
      if (assigned.length) yield* assigned;
      else if (child instanceof HTMLSlotElement) yield* childrenOf(child);
      else yield child;
    }
  }

  function copyOf(node) {
    if (node.nodeType === Node.TEXT_NODE) {
      characters += node.data.length;
      return inert.createTextNode(node.data);
    }
    // A host becomes a block: its own element means nothing where its script is not.
    const copy = node.shadowRoot ? inert.createElement("div") : inert.importNode(node, false);
    for (const {name, value} of copy.attributes) characters += name.length + value.length;
    tidyAttributes(node, copy);
    return copy;
  }

  function tidyAttributes(node, copy) {
    for (const name of copy.getAttributeNames()) if (/^on|^nonce$|^srcdoc$/i.test(name)) copy.removeAttribute(name);
    if (node instanceof HTMLImageElement && isLoaded(node)) settleImage(node, copy);
    if (node instanceof HTMLInputElement && ["hidden", "password"].includes(node.type)) copy.removeAttribute("value");
  }

  /** The image that is shown, not those it was chosen from. */
  function settleImage(node, copy) {
    copy.setAttribute("src", node.currentSrc);
    for (const name of LAZY) copy.removeAttribute(name);
    if (node.currentSrc.startsWith(`${location.origin}/`)) ownImages.push(copy);
  }

  /** With a list of what is still to be done and not by calling itself: pages can be nested deeper than a stack. */
  function copyTree(root) {
    const copy = copyOf(root);
    const open = [[root, copy]];
    while (open.length && characters <= MOST_CHARACTERS) {
      const [node, target] = open.pop();
      for (const child of childrenOf(node)) {
        if (isLeftOut(child)) continue;
        const made = copyOf(child);
        target.append(made);
        if (made.nodeType === Node.ELEMENT_NODE) open.push([child, made]);
      }
    }
    return copy;
  }

  /** Images of the page's own site may be for members only, and Kept has no cookie: they go along. */
  async function embedImages() {
    const signal = AbortSignal.timeout(IMAGE_SECONDS * 1000);
    let left = MOST_IMAGE_BYTES;
    for (const image of ownImages) {
      try {
        const blob = await (await fetch(image.getAttribute("src"), {cache: "force-cache", signal})).blob();
        if (!blob.type.startsWith("image/") || blob.size > left) continue;
        left -= blob.size;
        image.setAttribute("src", await dataUrlOf(blob));
      } catch {
        if (signal.aborted) return;
      }
    }
  }

  function dataUrlOf(blob) {
    return new Promise((resolve, reject) => {
      const reader = new FileReader();
      reader.onload = () => resolve(reader.result);
      reader.onerror = () => reject(reader.error);
      reader.readAsDataURL(blob);
    });
  }

  function completeHead(copy) {
    const head = copy.querySelector("head") ?? copy.insertBefore(inert.createElement("head"), copy.firstChild);
    for (const meta of head.querySelectorAll("meta[charset], meta[http-equiv]")) meta.remove();
    if (!head.querySelector("base[href]")) {
      const base = inert.createElement("base");
      base.href = document.baseURI;
      head.prepend(base);
    }
    const charset = inert.createElement("meta");
    charset.setAttribute("charset", "utf-8");
    head.prepend(charset);
  }

  async function serialise() {
    if (!/html/.test(document.contentType)) return {problem: "not_a_page"};
    const copy = copyTree(document.documentElement);
    if (characters > MOST_CHARACTERS) return {problem: "too_large"};
    await embedImages();
    completeHead(copy);
    return {html: `<!DOCTYPE html>\n${copy.outerHTML}`};
  }

  return serialise();
})();
