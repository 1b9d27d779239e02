// Fan-outs that hand messages to clients and to something else at once: a message counts as delivered when
// all have it, so brokers wait for somebody to connect.

import type { Report } from "../../../diagnostics/sink.ts";
import type { ComponentNode } from "../../../parse/document/api.ts";
import { endsWithin, servesClients } from "../components.ts";

/** Reports the client endpoints of a fan-out that has other outputs too. */
export function checkFanOuts(component: ComponentNode, report: Report): void {
  if (component.name !== "broker" || component.role !== "output") return;
  const outputs = endsWithin(component);
  // Where all serve clients, the input is not read before each has one.
  if (outputs.every(servesClients)) return;
  for (const output of outputs) {
    if (servesClients(output)) report("GW4062", output.nameSpan, { endpoint: output.name });
  }
}
