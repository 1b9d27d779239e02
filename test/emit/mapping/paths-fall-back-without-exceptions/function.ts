import type { Draft } from "sluice/runtime/mapping/root.ts";
import type { Batch, Message } from "sluice/runtime/message/message.ts";
import { attempt, rescue } from "sluice/runtime/mapping/evaluate.ts";
import { number } from "sluice/runtime/mapping/numbers.ts";
import { fieldsOf } from "sluice/runtime/mapping/root.ts";
import { MappingRun } from "sluice/runtime/mapping/run.ts";

export { orderMapping };

function orderMapping(batch: Batch, index: number): Message | undefined {
  const run = new MappingRun(batch, index);
  const root: Draft = {
    name: fieldsOf(run.documentIfAny())?.customer?.name ?? fieldsOf(run.documentIfAny())?.name ?? "unknown",
  };
  root.note = fieldsOf(run.documentIfAny())?.note ?? "none";
  root.city = rescue(
    () => fieldsOf(run.document("this.address.city"))?.address?.city ?? null,
    () => "nowhere",
  );
  root.number = attempt(
    () => number(fieldsOf(run.document("this.number"))?.number ?? null, "field `this.number`"),
  ) ?? 0;
  return run.finish(root);
}
