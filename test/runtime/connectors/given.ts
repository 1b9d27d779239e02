// Children of composite components that the test controls.

import type { Demand, Input, InputContext, Output } from "../../../runtime/component/component.ts";
import type { Batch } from "../../../runtime/message/message.ts";
import { Queue } from "../../harness/queue.ts";
import { type batchOf, textOfBatch } from "./contexts.ts";

/** Returns an input that the test controls. */
export function givenInput(startFailure?: Error): Input & { context?: InputContext; closed: number } {
  return {
    closed: 0,
    async start(context) {
      if (startFailure !== undefined) throw startFailure;
      this.context = context;
    },
    async close() {
      this.closed += 1;
    },
  };
}

/** A write that waits until the test settles it. */
export interface Write {
  readonly batch: Batch;
  readonly text: string;
  confirm(response?: ReturnType<typeof batchOf>): void;
  refuse(error: Error): void;
}

/** Returns an output whose writes wait until the test settles them. */
export function givenOutput(
  more: Partial<Output> = {},
): Output & { readonly writes: Queue<Write>; closed: number } {
  const writes = new Queue<Write>();
  return {
    writes,
    closed: 0,
    start: async () => undefined,
    write: (batch) =>
      new Promise((resolve, refuse) => {
        writes.push({
          batch,
          text: textOfBatch(batch),
          confirm: (response) => resolve(response === undefined ? {} : { response }),
          refuse,
        });
      }),
    async close() {
      this.closed += 1;
    },
    ...more,
  };
}

/** Returns a demand that the test sets. */
export function givenDemand(): Demand & { set(wanted: boolean): void } {
  let now = false;
  const listeners = new Set<() => void>();
  return {
    get wanted() {
      return now;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    set(wanted) {
      now = wanted;
      for (const listener of listeners) listener();
    },
  };
}
