import type { Draft } from "sluice/runtime/mapping/root.ts";
import type { Batch, Message } from "sluice/runtime/message/message.ts";
import { rescue } from "sluice/runtime/mapping/evaluate.ts";
import { failedAssignment } from "sluice/runtime/mapping/failures.ts";
import { fieldsOf, setKey } from "sluice/runtime/mapping/root.ts";
import { MappingRun } from "sluice/runtime/mapping/run.ts";

export { orderMapping };

function orderMapping(batch: Batch, index: number): Message | undefined {
  const run = new MappingRun(batch, index);
  let line = 3;
  try {
    const root: Draft = { a: "a" };
    root.b = fieldsOf(run.document("this.b"))?.b ?? null;
    line = 4;
    root.c = fieldsOf(run.documentIfAny())?.c ?? "c";
    root.d = rescue(() => fieldsOf(run.document("this.d"))?.d ?? null, () => "x") ?? "d";
    root.e = { e: 1 };
    line = 7;
    const document = fieldsOf(run.document("this.e"));
    setKey(root, "constructor", document?.e ?? null);
    return run.finish(root);
  } catch (error) {
    throw failedAssignment(line, error);
  }
}
