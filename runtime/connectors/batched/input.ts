import { Batcher } from "../../batching.ts";
import type { Input } from "../../component.ts";
import type { BatchedInputOptions } from "./generated/input-options.ts";

/** Collects the messages of an input into larger batches; each is acknowledged with the batch it went into. */
export function batchedInput({ child, policy }: BatchedInputOptions): Input {
  let batcher: Batcher | undefined;
  return {
    ...(child.endpoints && { endpoints: child.endpoints }),
    async start(context) {
      const collecting = new Batcher(policy, context, (batch) => context.deliver(batch));
      batcher = collecting;
      await child.start({ ...context, deliver: (batch) => collecting.add(batch) });
    },
    async close() {
      // The input waits for what is under way, so nothing may wait for more to come.
      batcher?.drain();
      await child.close();
      await batcher?.close();
    },
  };
}
