import type { Draft } from "sluice/runtime/mapping/root.ts";
import type { Batch, Message } from "sluice/runtime/message/message.ts";
import { bracketIndex, bracketSlice } from "sluice/runtime/mapping/brackets.ts";
import { failedAssignment } from "sluice/runtime/mapping/failures.ts";
import { json } from "sluice/runtime/mapping/messages.ts";
import { add } from "sluice/runtime/mapping/operators.ts";
import { fieldsOf } from "sluice/runtime/mapping/root.ts";
import { MappingRun } from "sluice/runtime/mapping/run.ts";

export { orderMapping };

function orderMapping(batch: Batch, index: number): Message | undefined {
  const run = new MappingRun(batch, index);
  let line = 1;
  try {
    const document = fieldsOf(run.document("this.items"));
    const root: Draft = { first: fieldsOf(bracketIndex(document?.items ?? null, 0))?.id ?? null };
    line = 2;
    root.last = bracketIndex(document?.items ?? null, -1);
    line = 3;
    root.some = bracketSlice(document?.name ?? null, 1, 3);
    line = 4;
    root.back = bracketSlice(document?.name ?? null, undefined, undefined, -1);
    line = 5;
    root.other = json(run.from(1), "id");
    line = 6;
    root.every = run.fromAll((shifted) => json(shifted, "id"));
    line = 7;
    const customer = document?.customer ?? null;
    root.bound = add(
      add(fieldsOf(customer)?.first ?? null, " ", "field `this.first`", "string literal"),
      fieldsOf(customer)?.last ?? null,
      "string literal",
      "field `this.last`",
    );
    return run.finish(root);
  } catch (error) {
    throw failedAssignment(line, error);
  }
}
