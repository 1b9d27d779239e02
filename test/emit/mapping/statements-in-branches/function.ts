import type { Draft } from "sluice/runtime/mapping/root.ts";
import type { Batch, Message } from "sluice/runtime/message/message.ts";
import { within } from "sluice/runtime/mapping/evaluate.ts";
import { failedAssignment } from "sluice/runtime/mapping/failures.ts";
import { metadata } from "sluice/runtime/mapping/messages.ts";
import { equal, greater, strictCondition } from "sluice/runtime/mapping/operators.ts";
import { fieldsOf, withField } from "sluice/runtime/mapping/root.ts";
import { MappingRun } from "sluice/runtime/mapping/run.ts";
import { nothing } from "sluice/runtime/message/value.ts";

export { orderMapping };

function orderMapping(batch: Batch, index: number): Message | undefined {
  const run = new MappingRun(batch, index);
  let line = 1;
  let part = 0;
  try {
    const document = fieldsOf(run.document("this.urgent"));
    let root: Draft = nothing;
    part = 1;
    if (
      equal(
        document?.urgent ?? null,
        true,
      ) && greater(document?.count ?? null, 3, "field `this.count`", "number literal")
    ) {
      part = 0;
      root = withField(root, "level", 1);
      run.setMetadata("level", "high");
    } else {
      part = 0;
      if (strictCondition(document?.level ?? null, "field `this.level`")) {
        root = withField(root, "level", document?.level ?? null);
      }
    }
    run.setMetadata("all", run.allMetadata());
    line = 10;
    run.setAllMetadata({
      a: run.metadataValue("a"),
      b: within("failed to resolve 'b' value", () => metadata(run, "b")),
    });
    return run.finish(root);
  } catch (error) {
    throw failedAssignment(line, error, ["", "failed to check if condition 1"][part]);
  }
}
