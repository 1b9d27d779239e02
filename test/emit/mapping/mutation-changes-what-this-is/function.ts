import type { Draft } from "sluice/runtime/mapping/root.ts";
import type { Batch, Message } from "sluice/runtime/message/message.ts";
import { failedAssignment } from "sluice/runtime/mapping/failures.ts";
import { multiply } from "sluice/runtime/mapping/operators.ts";
import { fieldsOf, withField, withoutField } from "sluice/runtime/mapping/root.ts";
import { MappingRun } from "sluice/runtime/mapping/run.ts";

export { orderMapping };

function orderMapping(batch: Batch, index: number): Message | undefined {
  const run = new MappingRun(batch, index);
  let line = 1;
  try {
    let root: Draft = run.initialRoot();
    root = withField(
      root,
      "total",
      multiply(
        fieldsOf(run.mutated(root) ?? run.document("this.price"))?.price ?? null,
        2,
        "field `this.price`",
        "number literal",
      ),
    );
    line = 2;
    root.again = fieldsOf(run.mutated(root) ?? run.document("this.total"))?.total ?? null;
    root = withoutField(root, "secret");
    return run.finish(root);
  } catch (error) {
    throw failedAssignment(line, error);
  }
}
