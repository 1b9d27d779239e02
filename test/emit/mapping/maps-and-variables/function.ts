import type { Draft } from "sluice/runtime/mapping/root.ts";
import type { Batch, Message } from "sluice/runtime/message/message.ts";
import type { Value } from "sluice/runtime/message/value.ts";
import { mapEach } from "sluice/runtime/mapping/arrays.ts";
import { failedAssignment, failedMapAssignment } from "sluice/runtime/mapping/failures.ts";
import { applyNamed, descend } from "sluice/runtime/mapping/maps.ts";
import { multiply } from "sluice/runtime/mapping/operators.ts";
import { assignKey, fieldsOf } from "sluice/runtime/mapping/root.ts";
import { MappingRun } from "sluice/runtime/mapping/run.ts";
import { variable } from "sluice/runtime/mapping/variables.ts";

export { orderMapping };

function orderMappingItem(value: Value, _run: MappingRun): Value {
  try {
    const price = fieldsOf(value)?.price ?? 0;
    const root: Draft = {
      total: multiply(price, fieldsOf(value)?.quantity ?? null, "variable price", "field `this.quantity`"),
    };
    return root;
  } catch (error) {
    throw failedMapAssignment(3, error);
  }
}

function orderMappingTree(value: Value, run: MappingRun): Value {
  return descend(run, "tree", () => {
    try {
      const root: Draft = {
        children: mapEach(
          fieldsOf(value)?.children ?? null,
          "field `this.children`",
          (child: Value) => orderMappingTree(child, run),
          "map tree",
        ),
      };
      return root;
    } catch (error) {
      throw failedMapAssignment(2, error);
    }
  });
}

function orderMapping(batch: Batch, index: number): Message | undefined {
  const run = new MappingRun(batch, index);
  let note: Value | undefined;
  let line = 8;
  try {
    const document = fieldsOf(run.document("this.items"));
    const root: Draft = {
      items: mapEach(
        document?.items ?? null,
        "field `this.items`",
        (element: Value) => orderMappingItem(element, run),
        "map item",
      ),
    };
    line = 9;
    assignKey(root, "tree", orderMappingTree(document?.tree ?? null, run));
    if ((document?.note ?? null) !== null) {
      note = document?.note ?? null;
    }
    line = 11;
    root.note = variable(note, "note");
    line = 12;
    assignKey(
      root,
      "one",
      applyNamed(
        new Map([["item", orderMappingItem], ["tree", orderMappingTree]]),
        document?.name ?? null,
        document,
        run,
      ),
    );
    return run.finish(root);
  } catch (error) {
    throw failedAssignment(line, error);
  }
}
