// Which APIs are mounted at one place.

import type { ApiDocument } from "../../parse/document/api.ts";
import { listenPathOf } from "../../parse/document/listen-path.ts";

/** Whether two APIs cannot be told apart by their listen path, written or not. */
export function isListenPathClash(first: ApiDocument, second: ApiDocument): boolean {
  return first !== second && mountOf(first) === mountOf(second);
}

/** The listen path as the gateway compares it: names of parameters make no difference. */
export function mountOf(api: ApiDocument): string {
  return listenPathOf(api)
    .split("/")
    .map((segment) => segment.replace(/^\{[^{}]+\}$/, "{}"))
    .join("/");
}
