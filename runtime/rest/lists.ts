// Lists that are returned in pages.

import type { OperationRequest, RestParameter } from "./operation.ts";

/** The parameters of every list. */
export const pageParameters: readonly RestParameter[] = [
  {
    name: "p",
    description:
      "Page number, from 1. 0 also returns the first page, and a negative number returns all records.",
    schema: { type: "integer", minimum: -1_000_000_000, maximum: 1_000_000_000, default: 1 },
  },
  {
    name: "page_size",
    description: "Records per page.",
    schema: { type: "integer", minimum: 1, maximum: 500, default: 10 },
  },
];

/** A part of a list. */
export interface Page {
  readonly offset: number;
  /** The maximum number of records. */
  readonly limit: number;
}

/** A list as clients receive it. */
export interface Listed<T> {
  readonly Data: readonly T[];
  /** The number of pages; 0 if there are no records, or if all were requested at once. */
  readonly Pages: number;
}

/** Returns the page that a request asks for; `undefined` for the whole list. */
export function readPage({ query }: Pick<OperationRequest, "query">): Page | undefined {
  const page = Number(query.get("p") ?? 1);
  const limit = Number(query.get("page_size") ?? 10);
  return page < 0 ? undefined : { offset: (Math.max(page, 1) - 1) * limit, limit };
}

/** Returns a list of records out of `total`. */
export function listed<T>(records: readonly T[], total: number, page: Page | undefined): Listed<T> {
  return { Data: records, Pages: page === undefined ? 0 : Math.ceil(total / page.limit) };
}

/**
 * Sorts records by a text, in descending order if `order` begins with `-`. Records with equal texts keep their order.
 * Compares by code units, so that the order is the same on every machine.
 */
export function sortedBy<T>(
  records: readonly T[],
  order: string,
  textOf: (record: T) => string,
): readonly T[] {
  const sign = order.startsWith("-") ? -1 : 1;
  return records.toSorted((a, b) => {
    const [left, right] = [textOf(a), textOf(b)];
    return left === right ? 0 : left < right ? -sign : sign;
  });
}
