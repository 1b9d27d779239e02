// Endpoints of `http_server`: there has to be one, and fields of endpoints nobody wrote do nothing.

import type { Report } from "../../../diagnostics/sink.ts";
import { findKey, isMeant, writtenValue } from "../../../model/components.ts";
import type { ComponentNode } from "../../../trees/api.ts";
import { findNamedField } from "../../../trees/fields.ts";

/** What a field acts on: one of these has to be there. */
const needs = {
  input: { allowed_verbs: ["path"] },
  output: {
    stream_format: ["stream_path"],
    heartbeat: ["path", "stream_path"],
    allowed_verbs: ["path", "stream_path"],
    timeout: ["path"],
    ws_message_type: ["path", "ws_path"],
    ping_period: ["path", "ws_path"],
    pong_wait: ["path", "ws_path"],
    write_wait: ["path", "ws_path"],
    ack: ["path", "ws_path"],
    ack_timeout: ["path", "ws_path"],
  },
} as const;

const endpoints = { input: ["path", "ws_path"], output: ["path", "stream_path", "ws_path"] } as const;

/** Reports an `http_server` without an endpoint, or with fields for one it does not have. */
export function checkEndpoints(component: ComponentNode, report: Report): void {
  const { role, nameSpan } = component;
  if (role !== "input" && role !== "output") return;
  if (writtenValue(component)?.kind !== "map") return;
  const isWritten = (field: string) => isThere(component, field);
  if (!endpoints[role].some(isWritten)) {
    report("GW4032", nameSpan, { role, fields: endpoints[role] });
    return;
  }
  for (const [field, oneOf] of Object.entries(needs[role])) {
    const written = findKey(component, field);
    if (written === undefined || oneOf.some(isWritten)) continue;
    report("GW4033", written.keySpan, { field, needs: oneOf });
  }
}

/** An empty path is no endpoint; one that cannot be read, or is misspelt, is a mistake of its own. */
function isThere(component: ComponentNode, field: string): boolean {
  const { config, descriptor } = component;
  return findNamedField(config, field) !== undefined || isMeant(config, field, descriptor?.schema ?? {});
}
