// Batches of Kafka inputs against the records that may be under way.

import type { Report } from "../../../diagnostics/sink.ts";
import type { ComponentNode, FieldNode } from "../../../trees/api.ts";
import { findField } from "../../../trees/fields.ts";

/** Reports a batch that the records of one partition cannot fill: whoever wants their order gets no batches. */
export function checkKafkaBatches({ config }: ComponentNode, report: Report): void {
  const batching = findField(config, "batching");
  const counted = findField(batching, "count");
  const count = amountOf(counted) ?? 0;
  const limit = amountOf(findField(config, "checkpoint_limit"), 1024);
  if (counted === undefined || limit === undefined || count <= limit) return;
  report("GW4182", counted.span, { count, limit });
}

/** `undefined` where it is not known yet. */
function amountOf(value: FieldNode | undefined, fallback?: number): number | undefined {
  if (value === undefined) return fallback;
  return value.kind === "Literal" && typeof value.value === "number" ? value.value : undefined;
}
