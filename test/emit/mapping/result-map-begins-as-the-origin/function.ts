import type { Draft } from "sluice/runtime/mapping/root.ts";
import type { Batch, Message } from "sluice/runtime/message/message.ts";
import { failedAssignment } from "sluice/runtime/mapping/failures.ts";
import { fieldsOf, withField } from "sluice/runtime/mapping/root.ts";
import { MappingRun } from "sluice/runtime/mapping/run.ts";

export { orderMapping };

function orderMapping(result: Batch, origin: Batch, index: number): Message | undefined {
  const run = new MappingRun(result, index, origin[index]);
  try {
    let root: Draft = run.initialRoot();
    const document = fieldsOf(run.document("this.name"));
    root = withField(root, "customer", document?.name ?? null);
    run.setMetadata("found", run.metadataValue("id"));
    return run.finish(root);
  } catch (error) {
    throw failedAssignment(1, error);
  }
}
