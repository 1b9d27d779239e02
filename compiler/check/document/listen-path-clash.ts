// Which APIs are mounted at one place.

import type { ApiDocument } from "../../parse/document/api.ts";
import { listenPathOf, listenPathSpan } from "../../parse/document/listen-path.ts";

/**
 * Whether two APIs cannot be told apart by their listen path. Documents that name none, such as bare
 * stream documents, may share `/`: their routes are compared one by one.
 */
export function isListenPathClash(first: ApiDocument, second: ApiDocument): boolean {
  const written = listenPathSpan(first) ?? listenPathSpan(second);
  return first !== second && written !== undefined && listenPathOf(first) === listenPathOf(second);
}
