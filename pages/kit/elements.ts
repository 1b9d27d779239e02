// Elements of a page: every value from elsewhere becomes a text, never markup.

/** The element of an id, which the page has. */
export function byId<E extends HTMLElement = HTMLElement>(id: string): E {
  const found = document.getElementById(id);
  if (found === null) throw new TypeError(`there is no #${id}`);
  // The page says which kind each is.
  return found as E;
}

/** What an element holds: texts and other elements. */
export type Inside = string | Node;

/** An element with what it holds. */
export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  ...inside: readonly Inside[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  made.append(...inside);
  return made;
}

/** Writes a text and a class where they differ, so that what is selected or being read out stays. */
export function write(target: HTMLElement, text: string, className = ""): void {
  if (target.textContent !== text) target.textContent = text;
  if (target.className !== className) target.className = className;
}

/** Makes a description list (`dl`) the given names and texts. */
export function describe(
  list: HTMLElement,
  entries: readonly (readonly [name: string, text: string])[],
): void {
  list.replaceChildren(...entries.flatMap(([name, text]) => [element("dt", name), element("dd", text)]));
}
