// Elements of the page: whatever comes from a definition or the service becomes a text, never markup.

/** The element of an id, which the page has. */
export function byId<E extends HTMLElement = HTMLElement>(id: string): E {
  const found = document.getElementById(id);
  if (found === null) throw new TypeError(`there is no #${id}`);
  // The page says which kind each is.
  return found as E;
}

type Inside = string | Node;

/** An element with what it holds. */
export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  ...inside: readonly Inside[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  made.append(...inside);
  return made;
}

/** A button that does something; `about` tells it from others of the same word. */
export function button(text: string, about: string, work: () => void | Promise<void>): HTMLButtonElement {
  const made = element("button", text);
  made.type = "button";
  if (about !== "") made.setAttribute("aria-label", `${text}: ${about}`);
  made.addEventListener("click", () => attempt(work));
  return made;
}

/** Says what happened, for everybody. */
export function say(text: string, isBad = false): void {
  const message = byId("message");
  message.textContent = text;
  message.className = isBad ? "bad" : "";
}

/** Runs what a person asked for, and says why it did not work. */
export function attempt(work: () => void | Promise<void>): Promise<void> {
  say("");
  return orSay(work);
}

/** The same for what follows from something that may have been said already. */
export async function orSay(work: () => void | Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    say(error instanceof Error ? error.message : String(error), true);
  }
}

/** One cell of a table. */
export interface Cell {
  readonly inside: readonly Inside[];
  readonly className?: string;
}

/**
 * Makes the rows of a table those given; the first cell of each is its name. Rows that say the same as before stay the
 * elements they are, so that what is focused, selected or being read out stays, too.
 */
export function fill(table: HTMLTableElement, rows: ReadonlyMap<string, readonly Cell[]>): void {
  const [body] = table.tBodies;
  const before = new Map([...(body?.rows ?? [])].map((row) => [row.dataset.key ?? "", row]));
  const made = [...rows].map(([key, cells]) => {
    const row = rowOf(key, cells);
    const former = before.get(key);
    if (former === undefined) return row;
    cells.forEach((_, index) => {
      const [old, fresh] = [former.cells[index], row.cells[0]];
      if (fresh !== undefined && old !== undefined && !old.isEqualNode(fresh)) old.replaceWith(fresh);
      else fresh?.remove();
    });
    return former;
  });
  const isSame = made.length === body?.rows.length && made.every((row, index) => body.rows[index] === row);
  if (!isSame) body?.replaceChildren(...made);
  const region = table.parentElement;
  region?.toggleAttribute("hidden", rows.size === 0);
  region?.nextElementSibling?.toggleAttribute("hidden", rows.size > 0);
}

function rowOf(key: string, cells: readonly Cell[]): HTMLTableRowElement {
  const row = element("tr");
  row.dataset.key = key;
  cells.forEach(({ inside, className = "" }, column) => {
    const cell = element(column === 0 ? "th" : "td", ...inside);
    if (column === 0) cell.scope = "row";
    if (className !== "") cell.className = className;
    row.append(cell);
  });
  return row;
}

/** Asks a person; gives the value of the answer that was chosen, empty for none. */
export function choose(
  title: string,
  text: string,
  answers: readonly (readonly [value: string, text: string])[],
): Promise<string> {
  byId("sure-title").textContent = title;
  byId("sure-text").textContent = text;
  const buttons = answers.map(([value, words]) => {
    const made = element("button", words);
    made.value = value;
    return made;
  });
  byId("answers").replaceChildren(...buttons);
  return shown(byId<HTMLDialogElement>("sure"));
}

/** Shows a dialog until it is closed, and gives how. */
export function shown(dialog: HTMLDialogElement): Promise<string> {
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue), { once: true });
  });
}
