// A batching policy around an input or an output.

import { Batcher, type BatchPolicy } from "./batching.ts";
import { wrapOutput } from "./children.ts";
import type { Input, Output } from "./component.ts";
import { withRelease } from "./demand.ts";
import { acceptFailure, writeThroughGate } from "./gate.ts";
import { notConnected } from "./persistence.ts";

/** An input whose messages are collected into larger batches; each is acknowledged with the one it went into. */
export function inputWithBatching(input: Input, policy: BatchPolicy): Input {
  let batcher: Batcher | undefined;
  return {
    ...(input.endpoints && { endpoints: input.endpoints }),
    async start(context) {
      const collecting = new Batcher(policy, context, (batch) => context.deliver(batch));
      batcher = collecting;
      await input.start({ ...context, deliver: (batch) => collecting.add(batch) });
    },
    async close() {
      // The input waits for what is under way, so nothing may wait for more to come.
      batcher?.drain();
      await input.close();
      await batcher?.close();
    },
    lag: () => input.lag?.(),
  };
}

/**
 * An output that is given larger batches; each write is confirmed with the one it went into. The gate stands
 * behind the processors of the policy.
 */
export function outputWithBatching(output: Output, policy: BatchPolicy): Output {
  let batcher: Batcher | undefined;
  return wrapOutput(output, {
    ...(output.demand && { demand: withRelease(output.demand, () => batcher?.flush()) }),
    async start(context) {
      const { deliversFailed = false } = context;
      batcher = new Batcher(policy, context, (batch) =>
        writeThroughGate(output, deliversFailed ? batch.map(acceptFailure) : batch),
      );
      await output.start(context);
    },
    async write(batch) {
      if (batcher === undefined) throw notConnected();
      return batcher.add(batch);
    },
    async close() {
      batcher?.drain();
      await output.close();
      await batcher?.close();
    },
  });
}
