// Tables with sorting, filtering and paging. In narrow windows each row is a card.

import type { ComponentChildren } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import { FailedNotice, type FetchState, Skeleton } from "./fetched.tsx";
import { locale, t } from "./messages.ts";
import { inQuery, setInQuery } from "./router.ts";

/** A column of a table. The first column names the row. */
export interface Column<T> {
  readonly title: string;
  readonly cell: (row: T) => ComponentChildren;
  /** Returns the sort key of a row; if absent, the column cannot be sorted. */
  readonly sort?: (row: T) => string | number;
  readonly isNumber?: boolean;
  /** Whether the column contains buttons, so that only screen readers need its title. */
  readonly isForActs?: boolean;
}

/** The content and options of a table. */
export interface TableOptions<T> {
  readonly id: string;
  readonly title: string;
  /** Absent until loaded; the table is then shown as loading. */
  readonly rows: readonly T[] | undefined;
  /** The state of the request for the rows. */
  readonly fetched?: FetchState;
  /** The current page, if the server returns the rows page by page. */
  readonly pages?: ServedPages;
  readonly columns: readonly Column<T>[];
  readonly keyOf: (row: T) => string;
  /** Returns the text that the filter searches; if absent, there is no filter. */
  readonly textOf?: (row: T) => string;
  /** Shown if there are no rows, such as the next step. */
  readonly empty: ComponentChildren;
  /** Buttons and fields next to the title. */
  readonly tools?: ComponentChildren;
}

/** The pages of a list that a server returns page by page. Pages count from 1. */
export interface ServedPages {
  readonly page: number;
  readonly count: number;
  readonly show: (page: number) => void;
  /** Whether the server filters and sorts the list. */
  readonly isSearched: boolean;
}

const rowsOfPage = 25;
/** Tables with no more rows than this need no filter. */
const rowsWithoutFilter = 6;

/**
 * A table in a card with a title. If the server has further pages and does not search them, the table can be neither
 * sorted nor filtered, since that would affect only one page.
 */
export function Table<T>(options: TableOptions<T>) {
  const {
    id,
    title,
    rows: known,
    fetched,
    pages: served,
    columns: given,
    keyOf,
    textOf,
    empty,
    tools,
  } = options;
  const rows = known ?? [];
  const isPart = (served?.count ?? 1) > 1;
  const isSearched = served?.isSearched === true;
  const columns = isPart && !isSearched ? given.map(withoutSort) : given;
  const name = useId();
  const { filter, order, page, show } = useShown(id);
  const wanted = isPart || isSearched ? "" : filter.trim().toLowerCase();
  const kept = wanted === "" ? rows : rows.filter((row) => textOf?.(row).toLowerCase().includes(wanted));
  const sort = isSearched ? undefined : columns.find(({ title }) => title === order.title)?.sort;
  const sorted = sortRows(kept, sort, order.isDown);
  const pages = Math.max(1, Math.ceil(sorted.length / rowsOfPage));
  const shown = Math.min(page, pages) - 1;
  const inPage = isPart ? sorted : sorted.slice(shown * rowsOfPage, (shown + 1) * rowsOfPage);
  const hasFilter = textOf !== undefined && (isSearched || (!isPart && rows.length > rowsWithoutFilter));
  const isNoneFound =
    filter !== "" && (isSearched ? known?.length === 0 : rows.length > 0 && kept.length === 0);
  const { failure, isBusy = false } = fetched ?? {};
  const isLoading = known === undefined && failure === undefined;
  const isNarrow = useNarrow(columns.reduce((sum, { isForActs }) => sum + (isForActs ? 2 : 1), 0));
  return (
    <div class="card flush" aria-busy={isBusy || isLoading}>
      <div class="bar">
        <h2 id={name}>{title}</h2>
        {hasFilter && (
          <input
            class="filter"
            type="search"
            placeholder={t("kit.filter")}
            aria-label={t("kit.filterTable", { title })}
            value={filter}
            onInput={(event) => show({ filter: event.currentTarget.value })}
          />
        )}
        {tools}
      </div>
      {fetched !== undefined && failure !== undefined && <FailedNotice name={title} fetched={fetched} />}
      {isLoading && <Skeleton name={title} />}
      {known?.length === 0 && !isNoneFound && empty}
      {isNoneFound && <p class="empty">{t("kit.noRow", { filter })}</p>}
      <div
        class={isNarrow ? "scroll cards" : "scroll"}
        role="region"
        aria-labelledby={name}
        // Lets the keyboard scroll a table that is wider than the window.
        // biome-ignore lint/a11y/noNoninteractiveTabindex: WCAG 2.1.1
        tabIndex={0}
        hidden={kept.length === 0}
      >
        <table id={id}>
          <thead>
            <tr>
              {columns.map((column) => (
                <Head
                  key={column.title}
                  column={column}
                  order={order.title === column.title ? order : undefined}
                  turn={() =>
                    show({
                      sort: `${order.title === column.title && !order.isDown ? "-" : ""}${column.title}`,
                    })
                  }
                />
              ))}
            </tr>
          </thead>
          <tbody>
            {inPage.map((row) => (
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
      {isPart && served !== undefined ? (
        <Pager {...served} />
      ) : (
        pages > 1 && (
          <Pager
            page={shown + 1}
            count={pages}
            show={(number) => show({ page: number === 1 ? "" : String(number) })}
          />
        )
      )}
    </div>
  );
}

/** Whether the window is too narrow for this number of columns, so that rows are shown as cards. */
function useNarrow(columns: number): boolean {
  const narrow = `(max-width: ${Math.min(70, Math.max(45, columns * 7.5))}rem)`;
  const [isNarrow, setNarrow] = useState(() => matchMedia(narrow).matches);
  useEffect(() => {
    const query = matchMedia(narrow);
    const look = () => setNarrow(query.matches);
    look();
    query.addEventListener("change", look);
    return () => query.removeEventListener("change", look);
  }, [narrow]);
  return isNarrow;
}

/** Returns the display settings of the table `id` from the address. Sorting or filtering returns to the first page. */
function useShown(id: string) {
  const sort = inQuery(`${id}.sort`);
  return {
    filter: inQuery(`${id}.filter`),
    order: { title: sort.replace(/^-/, ""), isDown: sort.startsWith("-") },
    page: pageIn(id),
    show: (changes: Readonly<Partial<Record<"filter" | "sort" | "page", string>>>) =>
      setInQuery(
        Object.fromEntries(
          Object.entries({ page: "", ...changes }).map(([name, value]) => [`${id}.${name}`, value]),
        ),
      ),
  };
}

/** Returns the page of the table `id` from the address. Pages count from 1. */
export function pageIn(id: string): number {
  const page = Number(inQuery(`${id}.page`));
  return Number.isSafeInteger(page) && page > 0 ? page : 1;
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

function withoutSort<T>({ sort: _, ...column }: Column<T>): Column<T> {
  return column;
}

/** Navigation between the pages of a list. */
function Pager({ page, count, show }: Omit<ServedPages, "isSearched">) {
  return (
    <div class="pages">
      <button type="button" disabled={page <= 1} onClick={() => show(page - 1)}>
        {t("kit.previous")}
      </button>
      <span>{t("kit.page", { page, last: count })}</span>
      <button type="button" disabled={page >= count} onClick={() => show(page + 1)}>
        {t("kit.next")}
      </button>
    </div>
  );
}

function sortRows<T>(
  rows: readonly T[],
  sort: ((row: T) => string | number) | undefined,
  isDown: boolean,
): readonly T[] {
  if (sort === undefined) return rows;
  const sign = isDown ? -1 : 1;
  const words = new Intl.Collator(locale(), { numeric: true, sensitivity: "base" });
  return rows.toSorted((a, b) => {
    const [left, right] = [sort(a), sort(b)];
    if (typeof left === "number" && typeof right === "number") return sign * (left - right);
    return sign * words.compare(String(left), String(right));
  });
}
