// Sockets whose clients answer for what they get: their frames are answers, and no messages of an input.

import type { Report } from "../../../diagnostics/sink.ts";
import type { ApiModel } from "../../../model/api.ts";
import { endsOf } from "../../../model/components.ts";
import { collectRoutes } from "../../../model/routes.ts";
import type { ComponentNode, StreamNode } from "../../../trees/api.ts";
import { findField, findNamedField, literalText } from "../../../trees/fields.ts";

/** Reports an output with `ack: client` on a socket that an input of the same stream reads. */
export function checkAcknowledgingSockets(stream: StreamNode, api: ApiModel, report: Report): void {
  const acknowledged = endsOf(stream, "output").filter(isAcknowledged);
  if (acknowledged.length === 0) return;
  const sockets = collectRoutes(api).filter(
    (route) => route.stream === stream && route.transport === "websocket",
  );
  const read = new Set(sockets.flatMap(({ component, path }) => (component.role === "input" ? [path] : [])));
  for (const { component, path } of sockets) {
    if (!acknowledged.includes(component) || !read.has(path)) continue;
    const ack = findNamedField(component.config, "ack");
    if (ack !== undefined) report("GW4167", ack.value.span, { path });
  }
}

function isAcknowledged({ config }: ComponentNode): boolean {
  return literalText(findField(config, "ack")) === "client";
}
