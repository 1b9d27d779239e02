// Lists that a server gives a page at a time.

import { useState } from "preact/hooks";
import { type Asked, useAsked } from "./asked.tsx";
import type { ServedPages } from "./table.tsx";

/** A page of a list, and how many pages there are. */
export interface ListedPage<T> {
  readonly Data: readonly T[];
  readonly Pages: number;
}

/** A list of which one page is shown. */
export interface Paged<T> extends Asked<ListedPage<T>> {
  readonly pages: ServedPages;
}

/** Asks for a page whenever another one is wanted or `keys` change. Where the page is gone, the last one is shown. */
export function usePaged<T>(
  ask: (page: number) => Promise<ListedPage<T>>,
  keys: readonly unknown[] = [],
): Paged<T> {
  const [page, show] = useState(1);
  const asked = useAsked(
    async () => {
      const found = await ask(page);
      const last = Math.max(1, found.Pages);
      if (found.Data.length > 0 || page <= last) return found;
      show(last);
      return ask(last);
    },
    { keys: [page, ...keys] },
  );
  return { ...asked, pages: { page, count: asked.answer?.Pages ?? 1, show } };
}
