import type { Draft } from "sluice/runtime/mapping/root.ts";
import type { Batch, Message } from "sluice/runtime/message/message.ts";
import { failedAssignment } from "sluice/runtime/mapping/failures.ts";
import { fieldsOf } from "sluice/runtime/mapping/root.ts";
import { MappingRun } from "sluice/runtime/mapping/run.ts";

export { orderMapping };

function orderMapping(batch: Batch, index: number): Message | undefined {
  const run = new MappingRun(batch, index);
  try {
    const root: Draft = { a: "*/ } \u003c/script> \u2028 ${x} `y`" };
    const document = fieldsOf(run.document("this.c\"]"));
    root["b\"; alert(1); //"] = document?.["c\"]"] ?? null;
    run.setMetadata("k\n", "v");
    return run.finish(root);
  } catch (error) {
    throw failedAssignment(2, error);
  }
}
