import type { Draft } from "sluice/runtime/mapping/root.ts";
import type { Batch, Message } from "sluice/runtime/message/message.ts";
import { failedAssignment } from "sluice/runtime/mapping/failures.ts";
import { field, path } from "sluice/runtime/mapping/paths.ts";
import { fieldsOf, setKey } from "sluice/runtime/mapping/root.ts";
import { MappingRun } from "sluice/runtime/mapping/run.ts";

export { orderMapping };

function orderMapping(batch: Batch, index: number): Message | undefined {
  const run = new MappingRun(batch, index);
  let line = 1;
  try {
    const document = fieldsOf(run.document("this.length"));
    const root: Draft = { length: field(document, "length") };
    setKey(root, "__proto__", path(document, ["__proto__", "polluted"]));
    root.first = path(document?.items ?? null, ["0", "id"]);
    root.all = path(document?.items ?? null, ["*", "id"]);
    line = 5;
    root.key = { ["__proto__"]: document?.a ?? null, "content-type": document?.["content-type"] ?? null };
    return run.finish(root);
  } catch (error) {
    throw failedAssignment(line, error);
  }
}
