// Which APIs are mounted at one place.

import { listenPathOf } from "../../model/listen-path.ts";
import type { ApiDocument } from "../../trees/api.ts";

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
