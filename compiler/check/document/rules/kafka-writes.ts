// What Kafka outputs promise, and where their records go.

import type { Report } from "../../../diagnostics/sink.ts";
import type { ComponentNode, FieldNode } from "../../../trees/api.ts";
import { findNamedField, literalText } from "../../../trees/fields.ts";

/** Reports what can be lost, what cannot be promised, and partitions that are named and not read or the reverse. */
export function checkKafkaWrites({ config }: ComponentNode, report: Report): void {
  const acks = findNamedField(config, "ack_replicas");
  const idempotent = findNamedField(config, "idempotent_write");
  if (acks !== undefined && isLiteral(acks.value, false)) {
    if (isLiteral(idempotent?.value, true)) report("GW4179", acks.value.span, {});
    else report("GW4178", acks.value.span, {});
  }
  checkPartition(config, report);
}

function checkPartition(config: FieldNode, report: Report): void {
  const partitioner = findNamedField(config, "partitioner");
  const partition = findNamedField(config, "partition");
  const isNamed = partition !== undefined && literalText(partition.value) !== "";
  const kind = partitioner === undefined ? "" : literalText(partitioner.value);
  if (kind === undefined) return; // the environment may say `manual`
  if (kind === "manual" && !isNamed && partitioner !== undefined)
    report("GW4180", partitioner.value.span, { isManual: true });
  if (kind !== "manual" && isNamed) report("GW4180", partition.nameSpan, { isManual: false });
}

function isLiteral(value: FieldNode | undefined, wanted: boolean): boolean {
  return value?.kind === "Literal" && value.value === wanted;
}
