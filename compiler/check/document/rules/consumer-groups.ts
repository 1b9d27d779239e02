// Kafka inputs that do not keep how far they have read.

import type { Report } from "../../../diagnostics/sink.ts";
import type { ApiModel } from "../../../model/api.ts";
import { endsOf, findKey, servesClients } from "../../../model/components.ts";
import type { ComponentNode, StreamNode } from "../../../trees/api.ts";
import { findField, literalText } from "../../../trees/fields.ts";

/**
 * Reports inputs without a group, unless all they read goes to clients: those may well want all there is
 * each time they come.
 */
export function checkConsumerGroups(stream: StreamNode, _api: ApiModel, report: Report): void {
  if (endsOf(stream, "output").every(servesClients)) return;
  for (const input of endsOf(stream, "input")) if (hasGroups(input)) checkInput(input, report);
}

function hasGroups({ descriptor }: ComponentNode): boolean {
  return descriptor?.schema.properties?.consumer_group !== undefined;
}

function checkInput(input: ComponentNode, report: Report): void {
  const group = findField(input.config, "consumer_group");
  const isWritten = findKey(input, "consumer_group") !== undefined;
  if (isWritten && literalText(group) !== "") return;
  const oldest = findField(input.config, "start_from_oldest");
  const fromOldest = oldest?.kind !== "Literal" || oldest.value !== false;
  // A start nobody knows yet is not spoken of.
  if (oldest !== undefined && oldest.kind !== "Literal") return;
  report("GW4064", group?.span ?? input.nameSpan, { fromOldest });
}
