// Tables whose rows change while somebody reads them.

import { element, type Inside } from "./elements.ts";

/** One cell of a table. */
export interface Cell {
  readonly inside: readonly Inside[];
  readonly className?: string;
}

/** A cell of one text. */
export function cell(text: string, className?: string): Cell {
  return { inside: [text], ...(className !== undefined && { className }) };
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
