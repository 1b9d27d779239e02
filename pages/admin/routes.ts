// The compiled routes of the gateway, and who may call them.

import type { RouteRow } from "../../runtime/gateway/admin/route-row.ts";
import { byId } from "../kit/elements.ts";
import { type Cell, cell, fill } from "../kit/tables.ts";

/** Shows the routes. */
export function showRoutes(routes: readonly RouteRow[]): void {
  const rows = routes.map((route): [string, readonly Cell[]] => [JSON.stringify(route), cellsOf(route)]);
  fill(byId<HTMLTableElement>("routes"), new Map(rows));
}

function cellsOf(route: RouteRow): readonly Cell[] {
  const { host = "", path, version, transport, verbs, stream, role = "", api, protections } = route;
  const texts = [
    `${host}${path}${version === undefined ? "" : ` (${version})`}`,
    transport === "websocket" ? "WebSocket" : verbs.join(", ") || "all others",
    stream === undefined ? "upstream" : `${stream} (${role.replace("_", " ")})`,
    api,
    callersOf(route),
    protections.join(", "),
  ];
  return texts.map((text) => cell(text));
}

/** One text where all verbs ask for the same, else one for each. */
function callersOf({ callers, policies = [] }: RouteRow): string {
  const texts = [...new Set(Object.values(callers))];
  const all = texts.length === 1 ? texts : Object.entries(callers).map((each) => each.join(": "));
  const isOpen = texts.every((text) => text === "open");
  return all.join("; ") + (isOpen || policies.length === 0 ? "" : `; policies: ${policies.join(", ")}`);
}
