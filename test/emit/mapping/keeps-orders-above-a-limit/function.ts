import type { Draft } from "sluice/runtime/mapping/root.ts";
import type { Batch, Message } from "sluice/runtime/message/message.ts";
import { failedAssignment } from "sluice/runtime/mapping/failures.ts";
import { merge } from "sluice/runtime/mapping/merging.ts";
import { number } from "sluice/runtime/mapping/numbers.ts";
import { greater, multiply } from "sluice/runtime/mapping/operators.ts";
import { fieldsOf } from "sluice/runtime/mapping/root.ts";
import { MappingRun } from "sluice/runtime/mapping/run.ts";
import { deleted, nothing } from "sluice/runtime/message/value.ts";

export { orderMapping };

function orderMapping(batch: Batch, index: number): Message | undefined {
  const run = new MappingRun(batch, index);
  let line = 1;
  let part = 0;
  try {
    const document = fieldsOf(run.document("this.quantity"));
    const total = multiply(
      document?.quantity ?? null,
      number(document?.unit_price ?? null, "field `this.unit_price`"),
      "field `this.quantity`",
      "method number",
    );
    line = 2;
    let root: Draft = nothing;
    part = 1;
    if (greater(total, 50, "variable total", "number literal")) {
      part = 0;
      root = merge(document, "field `this`", { total: total });
    } else {
      root = deleted;
    }
    return run.finish(root);
  } catch (error) {
    throw failedAssignment(line, error, ["", "failed to check if condition"][part]);
  }
}
