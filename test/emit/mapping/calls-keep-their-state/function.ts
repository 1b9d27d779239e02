import type { Draft } from "sluice/runtime/mapping/root.ts";
import type { Batch, Message } from "sluice/runtime/message/message.ts";
import type { Value } from "sluice/runtime/message/value.ts";
import { counter, createCounter } from "sluice/runtime/mapping/counters.ts";
import { within } from "sluice/runtime/mapping/evaluate.ts";
import { failedAssignment, failedMapAssignment } from "sluice/runtime/mapping/failures.ts";
import { createFile, file, fileRel } from "sluice/runtime/mapping/files.ts";
import { condition } from "sluice/runtime/mapping/operators.ts";
import { assignKey, fieldsOf } from "sluice/runtime/mapping/root.ts";
import { MappingRun } from "sluice/runtime/mapping/run.ts";
import { deleted, nothing } from "sluice/runtime/message/value.ts";

export { orderMapping };

const orderMappingNumberedCounterState = createCounter();

function orderMappingNumbered(_value: Value, _run: MappingRun): Value {
  try {
    const root: Draft = counter(orderMappingNumberedCounterState, undefined, () => 3);
    return root;
  } catch (error) {
    throw failedMapAssignment(2, error);
  }
}

const orderMappingCounterState = createCounter();
const orderMappingCounterState2 = createCounter();
const orderMappingFileState = createFile();

function orderMapping(batch: Batch, index: number): Message | undefined {
  const run = new MappingRun(batch, index);
  let line = 4;
  try {
    const root: Draft = { first: counter(orderMappingCounterState) };
    line = 5;
    root.second = counter(
      orderMappingCounterState2,
      () => fieldsOf(run.document("this.least"))?.least ?? null,
      undefined,
      () => condition(
        within("failed to check if condition", () => fieldsOf(run.document("this.again"))?.again ?? null),
        "field `this.again`",
      )
        ? deleted
        : nothing,
    );
    line = 6;
    const document = fieldsOf(run.document("this"));
    assignKey(root, "named", orderMappingNumbered(document, run));
    line = 7;
    root.lookup = file(orderMappingFileState, "table.json", false);
    line = 8;
    root.other = fileRel(undefined, ".", document?.name ?? null, false);
    return run.finish(root);
  } catch (error) {
    throw failedAssignment(line, error);
  }
}
