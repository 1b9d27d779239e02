// Fan-outs that hand messages to clients and to something else at once: a message counts as delivered when
// all have it, so brokers wait for somebody to connect.

import { descriptorOf } from "../../../../schemas/component.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import { componentsWithin, endsWithin, servesClients } from "../../../model/components.ts";
import type { ComponentNode } from "../../../trees/api.ts";
import { findField, findNamedField, literalText } from "../../../trees/fields.ts";

/** Reports the client endpoints of a fan-out that has other outputs too. */
export function checkFanOuts(component: ComponentNode, report: Report): void {
  if (!isFanOut(component)) return;
  const outputs = endsWithin(component);
  // Where all serve clients, the input is not read before each has one.
  if (outputs.every(servesClients)) return;
  const free = componentsWithin(component).filter(doesWithoutClients).flatMap(endsWithin);
  for (const output of outputs) {
    if (servesClients(output) && !free.includes(output))
      report("GW4062", output.nameSpan, { endpoint: output.name });
  }
}

/** Of the other patterns, none makes one output wait for another. */
function isFanOut({ config }: ComponentNode): boolean {
  return (literalText(findField(config, "pattern")) ?? "fan_out").startsWith("fan_out");
}

/** A `drop_on` that does not wait for clients, or a choice between outputs that has another one. */
function doesWithoutClients(component: ComponentNode): boolean {
  const output = component.role === "output" ? descriptorOf("output", component) : undefined;
  if (output?.flow === "drop-refused") return findNamedField(component.config, "back_pressure") !== undefined;
  const isChoice = output?.schema.properties?.pattern !== undefined && !isFanOut(component);
  return isChoice && !endsWithin(component).every(servesClients);
}
