// The routes of the definition in the editor, and who may call them.

import { callerLines } from "../../management/drawing/picture.ts";
import { byId } from "../kit/elements.ts";
import { fill } from "../kit/tables.ts";
import type { Route } from "./ask.ts";

/** Shows the routes of a definition that is right; of one that is not, none is known. */
export function showRoutes(routes: readonly Route[] | undefined): void {
  byId("routes").hidden = routes === undefined;
  const rows = (routes ?? []).map((route) => {
    const { path, version, transport, stream, callers } = route;
    const verbs = Object.keys(callers);
    const cells = [
      version === undefined ? path : `${path} (${version})`,
      transport === "websocket" ? "WebSocket" : verbs.includes("*") ? "all others" : verbs.join(", "),
      stream ?? "upstream",
      callerLines(callers).join("; "),
    ];
    return [JSON.stringify(route), cells.map((text) => ({ inside: [text] }))] as const;
  });
  fill(byId<HTMLTableElement>("route-table"), new Map(rows));
}
