// Lists that a server returns page by page.

import { useRef } from "preact/hooks";
import { type Asked, useAsked } from "./asked.tsx";
import { setInQuery } from "./router.ts";
import { pageIn, type ServedPages } from "./table.tsx";

/** A page of a list, and the number of pages. */
export interface ListedPage<T> {
  readonly Data: readonly T[];
  readonly Pages: number;
}

/** A list of which one page is shown. */
export interface Paged<T> extends Asked<ListedPage<T>> {
  readonly pages: ServedPages;
}

/**
 * Requests the current page of the table `id` whenever the page or `keys` change. If the page no longer exists, shows
 * the last one. If the server has one page only, the pages in the address are those of the table.
 */
export function usePaged<T>(
  id: string,
  ask: (page: number) => Promise<ListedPage<T>>,
  keys: readonly unknown[] = [],
): Paged<T> {
  const count = useRef(0);
  const page = count.current === 1 ? 1 : pageIn(id);
  const show = (other: number) => setInQuery({ [`${id}.page`]: other === 1 ? "" : String(other) });
  const asked = useAsked(
    async () => {
      const found = await ask(page);
      const last = Math.max(1, found.Pages);
      count.current = last;
      if (found.Data.length > 0 || page <= last) return found;
      if (last > 1) show(last);
      return ask(last);
    },
    { keys: [page, ...keys] },
  );
  return { ...asked, pages: { page, count: asked.answer?.Pages ?? 1, show } };
}
