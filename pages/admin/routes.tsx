// Lists the compiled routes of the gateway and who may call them.

import type { RouteRow } from "../../runtime/gateway/admin/route-row.ts";
import { Empty, Heading } from "../kit/parts.tsx";
import { type Column, Table } from "../kit/table.tsx";
import { look, lookState } from "./gateway.ts";
import { Readiness } from "./readiness.tsx";

const columns: readonly Column<RouteRow>[] = [
  textColumn(
    "Path",
    ({ host = "", path, version }) => `${host}${path}${version === undefined ? "" : ` (${version})`}`,
  ),
  textColumn("Verbs", ({ transport, verbs }) =>
    transport === "websocket" ? "WebSocket" : verbs.join(", ") || "all others",
  ),
  textColumn("Served by", ({ stream, role = "" }) =>
    stream === undefined ? "upstream" : `${stream} (${role.replace("_", " ")})`,
  ),
  textColumn("API", ({ api }) => api),
  textColumn("Who may call", callersOf),
  textColumn("Protected by", ({ protections }) => protections.join(", ")),
];

function textColumn(title: string, textOf: (route: RouteRow) => string): Column<RouteRow> {
  return { title, sort: textOf, cell: textOf };
}

/** The view with the routes. */
export function RoutesView() {
  return (
    <>
      <Heading title="Routes" beside={<Readiness />}>
        What clients can call, compiled from the documents of the APIs.
      </Heading>
      <Table
        id="routes"
        title="Routes"
        rows={look.value?.routes}
        fetched={lookState()}
        columns={columns}
        keyOf={(route) => JSON.stringify(route)}
        textOf={(route) => JSON.stringify(Object.values(route))}
        empty={
          <Empty title="This gateway has no routes.">
            An API gets routes by its paths, its upstream, and the streams that serve clients.
          </Empty>
        }
      />
    </>
  );
}

/** Returns the required callers: one text if they are the same for all verbs, otherwise one per verb. */
function callersOf({ callers, policies = [] }: RouteRow): string {
  const texts = [...new Set(Object.values(callers))];
  const all = texts.length === 1 ? texts : Object.entries(callers).map((each) => each.join(": "));
  const isOpen = texts.every((text) => text === "open");
  return all.join("; ") + (isOpen || policies.length === 0 ? "" : `; policies: ${policies.join(", ")}`);
}
