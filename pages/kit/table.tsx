// Tables: sorted, filtered and shown a page at a time. In narrow windows each row is a card.

import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";

/** A column of a table; the first one names the row. */
export interface Column<T> {
  readonly title: string;
  readonly cell: (row: T) => ComponentChildren;
  /** What rows are sorted by; without it they are not sorted by this column. */
  readonly sort?: (row: T) => string | number;
  readonly isNumber?: boolean;
  /** The title is for readers of screens only: the column has buttons. */
  readonly isForActs?: boolean;
}

/** What a table shows, and how. */
export interface TableOptions<T> {
  readonly id: string;
  readonly title: string;
  readonly rows: readonly T[];
  readonly columns: readonly Column<T>[];
  readonly keyOf: (row: T) => string;
  /** The text that the filter looks in; without it there is no filter. */
  readonly textOf?: (row: T) => string;
  /** What is said where there are no rows: the next step. */
  readonly empty: ComponentChildren;
  /** Buttons and fields beside the title. */
  readonly tools?: ComponentChildren;
}

const rowsOfPage = 25;
/** Fewer rows are seen at a glance. */
const rowsWithoutFilter = 6;

/** A table in a card of its own, with its title. */
export function Table<T>(options: TableOptions<T>) {
  const { id, title, rows, columns, keyOf, textOf, empty, tools } = options;
  const name = useId();
  const [filter, setFilter] = useState("");
  const [order, setOrder] = useState<{ column: number; isDown: boolean }>();
  const [page, setPage] = useState(0);
  const wanted = filter.trim().toLowerCase();
  const kept = wanted === "" ? rows : rows.filter((row) => textOf?.(row).toLowerCase().includes(wanted));
  const sorted = sortRows(kept, order && columns[order.column]?.sort, order?.isDown ?? false);
  const pages = Math.max(1, Math.ceil(sorted.length / rowsOfPage));
  const shown = Math.min(page, pages - 1);
  const hasFilter = textOf !== undefined && rows.length > rowsWithoutFilter;
  return (
    <div class="card flush">
      <div class="bar">
        <h2 id={name}>{title}</h2>
        {hasFilter && (
          <input
            class="filter"
            type="search"
            placeholder="Filter"
            aria-label={`Filter ${title}`}
            value={filter}
            onInput={(event) => setFilter(event.currentTarget.value)}
          />
        )}
        {tools}
      </div>
      {rows.length === 0 && empty}
      {rows.length > 0 && kept.length === 0 && <p class="empty">No row contains “{filter}”.</p>}
      <div
        class="scroll cards"
        role="region"
        aria-labelledby={name}
        // Keys scroll what is wider than the window.
        // biome-ignore lint/a11y/noNoninteractiveTabindex: WCAG 2.1.1
        tabIndex={0}
        hidden={kept.length === 0}
      >
        <table id={id}>
          <thead>
            <tr>
              {columns.map((column, index) => (
                <Head
                  key={column.title}
                  column={column}
                  order={order?.column === index ? order : undefined}
                  turn={() => setOrder({ column: index, isDown: order?.column === index && !order.isDown })}
                />
              ))}
            </tr>
          </thead>
          <tbody>
            {sorted.slice(shown * rowsOfPage, (shown + 1) * rowsOfPage).map((row) => (
              <tr key={keyOf(row)}>
                {columns.map(({ title, cell, isNumber, isForActs }, index) =>
                  index === 0 ? (
                    <th key={title} scope="row">
                      {cell(row)}
                    </th>
                  ) : (
                    <td
                      key={title}
                      class={isNumber ? "number" : ""}
                      data-label={isForActs ? undefined : title}
                    >
                      {cell(row)}
                    </td>
                  ),
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {pages > 1 && <Pager page={shown + 1} pages={pages} show={(number) => setPage(number - 1)} />}
    </div>
  );
}

function Head<T>({
  column: { title, sort, isNumber, isForActs },
  order,
  turn,
}: {
  readonly column: Column<T>;
  readonly order: { readonly isDown: boolean } | undefined;
  readonly turn: () => void;
}) {
  const direction = order && (order.isDown ? "descending" : "ascending");
  return (
    <th scope="col" class={isNumber ? "number" : ""} aria-sort={direction}>
      {isForActs ? (
        <span class="hidden">{title}</span>
      ) : sort === undefined ? (
        title
      ) : (
        <button type="button" onClick={turn}>
          {title}
        </button>
      )}
    </th>
  );
}

/** The way between the pages of a list; pages count from 1. */
export function Pager(options: {
  readonly page: number;
  readonly pages: number;
  readonly show: (page: number) => void;
}) {
  const { page, pages, show } = options;
  return (
    <div class="pages">
      <button type="button" disabled={page <= 1} onClick={() => show(page - 1)}>
        Previous
      </button>
      <span>
        Page {page} of {pages}
      </span>
      <button type="button" disabled={page >= pages} onClick={() => show(page + 1)}>
        Next
      </button>
    </div>
  );
}

const words = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

function sortRows<T>(
  rows: readonly T[],
  sort: ((row: T) => string | number) | undefined,
  isDown: boolean,
): readonly T[] {
  if (sort === undefined) return rows;
  const sign = isDown ? -1 : 1;
  return rows.toSorted((a, b) => {
    const [left, right] = [sort(a), sort(b)];
    if (typeof left === "number" && typeof right === "number") return sign * (left - right);
    return sign * words.compare(String(left), String(right));
  });
}
