// Runs in the page, when somebody saves a passage: its words, and some before and after by which it is found again.
(() => {
  const CONTEXT = 64;

  /** About where it is in the article, for words that are there more than once. */
  function hintOf(range) {
    const start = range.startContainer;
    const parent = start.nodeType === Node.ELEMENT_NODE ? start : start.parentElement;
    const before = document.createRange();
    before.setStart(parent?.closest("article, main") ?? document.body, 0);
    before.setEnd(start, range.startOffset);
    return before.toString().length;
  }

  const selection = getSelection();
  if (!selection?.rangeCount || selection.isCollapsed) return null;
  const range = selection.getRangeAt(0);
  const before = document.createRange();
  before.setStart(document.body, 0);
  before.setEnd(range.startContainer, range.startOffset);
  const after = document.createRange();
  after.selectNodeContents(document.body);
  after.setStart(range.endContainer, range.endOffset);
  return {
    exact: selection.toString(),
    prefix: before.toString().slice(-CONTEXT),
    suffix: after.toString().slice(0, CONTEXT),
    hint: hintOf(range),
  };
})();
