import type { Batch, Message } from "sluice/runtime/message/message.ts";
import { MappingRun } from "sluice/runtime/mapping/run.ts";
import { nothing } from "sluice/runtime/message/value.ts";

export { orderMapping };

function orderMapping(batch: Batch, index: number): Message | undefined {
  const run = new MappingRun(batch, index);
  run.setMetadata("topic", "orders");
  return run.finish(nothing);
}
