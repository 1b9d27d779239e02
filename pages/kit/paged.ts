// Lists that a server returns page by page.

import { useRef } from "preact/hooks";
import { type Fetched, useFetched } from "./fetched.tsx";
import { inQuery, setInQuery } from "./router.ts";
import { pageIn, type ServedPages } from "./table.tsx";

/** A page of a list, and the number of pages. */
export interface ListedPage<T> {
  readonly Data: readonly T[];
  readonly Pages: number;
}

/** A list of which one page is shown. */
export interface Paged<T> extends Fetched<ListedPage<T>> {
  readonly pages: ServedPages;
}

/** The filter and the sorting of a table, as in the address: empty, or the title of a column, with `-` if descending. */
export interface Sought {
  readonly filter: string;
  readonly sort: string;
}

const nothingSought: Sought = { filter: "", sort: "" };

/**
 * Requests the current page of the table `id` whenever the page or `keys` change. If the page no longer exists, shows
 * the last one. If the server has one page only, the pages in the address are those of the table. With `isSearchable`,
 * the server filters and sorts a list that has further pages.
 */
export function usePaged<T>(
  id: string,
  ask: (page: number, sought: Sought) => Promise<ListedPage<T>>,
  keys: readonly unknown[] = [],
  isSearchable = false,
): Paged<T> {
  const count = useRef(0);
  const sought = isSearchable
    ? { filter: inQuery(`${id}.filter`), sort: inQuery(`${id}.sort`) }
    : nothingSought;
  const isSought = sought.filter !== "" || sought.sort !== "";
  // A filtered list may have one page, so what has been searched once remains so.
  const isSearched = useRef(isSought);
  const page = count.current === 1 ? 1 : pageIn(id);
  const show = (other: number) => setInQuery({ [`${id}.page`]: other === 1 ? "" : String(other) });
  const fetched = useFetched(
    async () => {
      let found = await ask(page, isSearched.current ? sought : nothingSought);
      if (isSearchable && !isSearched.current && found.Pages > 1) {
        isSearched.current = true;
        if (isSought) found = await ask(page, sought);
      }
      const last = Math.max(1, found.Pages);
      count.current = last;
      if (found.Data.length > 0 || page <= last) return found;
      if (last > 1) show(last);
      return ask(last, isSearched.current ? sought : nothingSought);
    },
    { keys: [page, ...(isSearched.current ? [sought.filter, sought.sort] : ["", ""]), ...keys] },
  );
  return {
    ...fetched,
    pages: { page, count: fetched.answer?.Pages ?? 1, show, isSearched: isSearched.current },
  };
}
