import type { Draft } from "sluice/runtime/mapping/root.ts";
import type { Batch, Message } from "sluice/runtime/message/message.ts";
import { within } from "sluice/runtime/mapping/evaluate.ts";
import { failedAssignment } from "sluice/runtime/mapping/failures.ts";
import { length } from "sluice/runtime/mapping/general.ts";
import { equal, greater } from "sluice/runtime/mapping/operators.ts";
import { fieldsOf } from "sluice/runtime/mapping/root.ts";
import { MappingRun } from "sluice/runtime/mapping/run.ts";

export { orderMapping };

function orderMapping(batch: Batch, index: number): Message | undefined {
  const run = new MappingRun(batch, index);
  try {
    const document = fieldsOf(run.document("this.type"));
    const type = document?.type ?? null;
    const root: Draft = {
      kind: equal(type, "a")
        ? 1
        : within(
          "failed to check match case 1",
          () => greater(length(type, "field `this`"), 3, "method length", "number literal"),
        )
          ? 2
          : 3,
    };
    if (equal(document?.ok ?? null, true)) {
      root.flag = "yes";
    }
    return run.finish(root);
  } catch (error) {
    throw failedAssignment(1, error);
  }
}
