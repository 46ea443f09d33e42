// Tags as they are typed, separated by commas. Pure.

export function splitTags(text) {
  return [...new Set(text.split(",").map((tag) => tag.trim()).filter(Boolean))];
}

/** Known tags that go on from the last one typed; those that begin with it before those that have it within. */
export function completeTags(text, known, most = 6) {
  const typed = text.split(",").at(-1).trim().toLocaleLowerCase();
  if (!typed) return [];
  const chosen = new Set(splitTags(text).map((tag) => tag.toLocaleLowerCase()));
  const free = known.filter((tag) => !chosen.has(tag) || tag === typed).filter((tag) => tag !== typed);
  const beginning = free.filter((tag) => tag.startsWith(typed));
  const within = free.filter((tag) => !tag.startsWith(typed) && tag.includes(typed));
  return [...beginning, ...within].slice(0, most);
}

/** The text with the last tag replaced. */
export function takeTag(text, tag) {
  const before = text.split(",").slice(0, -1).map((part) => part.trim()).filter(Boolean);
  return `${[...before, tag].join(", ")}, `;
}
