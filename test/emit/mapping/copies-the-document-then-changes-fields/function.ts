import type { Draft } from "sluice/runtime/mapping/root.ts";
import type { Batch, Message } from "sluice/runtime/message/message.ts";
import { failedAssignment } from "sluice/runtime/mapping/failures.ts";
import { multiply } from "sluice/runtime/mapping/operators.ts";
import { fieldsOf, withField, withPath, withoutField } from "sluice/runtime/mapping/root.ts";
import { MappingRun } from "sluice/runtime/mapping/run.ts";
import { uppercase } from "sluice/runtime/mapping/strings.ts";
import { WholeFloat } from "sluice/runtime/message/value.ts";

export { orderMapping };

function orderMapping(batch: Batch, index: number): Message | undefined {
  const run = new MappingRun(batch, index);
  let line = 1;
  try {
    const document = fieldsOf(run.document("this"));
    let root: Draft = document;
    line = 2;
    root = withField(
      root,
      "total",
      multiply(
        document?.price ?? null,
        document?.quantity ?? null,
        "field `this.price`",
        "field `this.quantity`",
      ),
    );
    line = 3;
    root = withPath(
      root,
      ["customer", "name"],
      uppercase(document?.customer?.name ?? null, "field `this.customer.name`"),
    );
    root.tags = ["new", new WholeFloat(5)];
    root = withoutField(root, "secret");
    return run.finish(root);
  } catch (error) {
    throw failedAssignment(line, error);
  }
}
