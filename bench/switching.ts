// Compares a `switch` with ten cases with an equivalent chain of `if` statements.

import type { ComponentContext, Processor } from "../runtime/component/component.ts";
import { Message } from "../runtime/message/message.ts";
import { mapping } from "../runtime/processors/mapping.ts";
import { switchCases } from "../runtime/processors/switch.ts";
import { compileCheck, compileMapping } from "./compiled.ts";
import type { Comparison } from "./measure.ts";

const kinds = ["created", "paid", "packed", "sent", "delivered", "returned", "refunded", "lost", "held"];

/** Creates the comparison with ten cases: nine kinds of events, and a default. */
export function createSwitching(context: ComponentContext): Comparison {
  const processor = switchCases({
    cases: [
      ...kinds.map((kind, index) => ({
        check: compileCheck(`this.event == "${kind}"`),
        processors: [step(kind, index)],
      })),
      { processors: [step("other", kinds.length)] },
    ],
  });
  return {
    name: "switch over ten cases",
    goal: 0.7,
    messages: [...kinds, "unknown"].map((kind, index) => Buffer.from(eventText(kind, index))),
    baseline: (bytes) =>
      Buffer.from(
        JSON.stringify(
          route(JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString())),
        ),
      ),
    candidate: (bytes) => runSwitch(processor, bytes, context),
  };
}

function step(kind: string, index: number): Processor {
  return mapping(compileMapping(`root.id = this.id\nroot.stage = ${index}\nroot.status = "${kind}"`));
}

function runSwitch(processor: Processor, bytes: Uint8Array, context: ComponentContext): Uint8Array {
  const batches = processor.process([Message.fromBytes(bytes)], context);
  // Its processors are synchronous, so the result is, too; the work behind a promise would not be measured.
  if (batches instanceof Promise) throw new Error("the switch did not stay synchronous");
  return batches[0]?.[0]?.bytes() ?? new Uint8Array();
}

interface ParcelEvent {
  readonly event: string;
  readonly id: string;
}

function route({ event, id }: ParcelEvent): unknown {
  if (event === "created") return { id, stage: 0, status: "created" };
  if (event === "paid") return { id, stage: 1, status: "paid" };
  if (event === "packed") return { id, stage: 2, status: "packed" };
  if (event === "sent") return { id, stage: 3, status: "sent" };
  if (event === "delivered") return { id, stage: 4, status: "delivered" };
  if (event === "returned") return { id, stage: 5, status: "returned" };
  if (event === "refunded") return { id, stage: 6, status: "refunded" };
  if (event === "lost") return { id, stage: 7, status: "lost" };
  if (event === "held") return { id, stage: 8, status: "held" };
  return { id, stage: 9, status: "other" };
}

function eventText(event: string, index: number): string {
  return (
    `{"id":"p-${4000 + index}","event":"${event}","at":"2026-03-1${index}T08:30:00Z","depot":"Rotterdam",` +
    `"parcel":{"weight":${index + 1},"sides":[30,20,${10 + index}],"fragile":false},"carrier":"north"}`
  );
}
