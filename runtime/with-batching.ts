// A batching policy around an input or an output.

import { setMaxListeners } from "node:events";
import { Batcher, type BatchPolicy } from "./batching.ts";
import { wrapOutput } from "./children.ts";
import type { Input, Output } from "./component.ts";
import { withRelease } from "./demand.ts";
import { acceptFailure, writeThroughGate } from "./gate.ts";
import type { Batch } from "./message.ts";
import { notConnected } from "./persistence.ts";
import { closeProcessors } from "./pipeline.ts";

/**
 * An input whose messages are collected into larger batches; each is acknowledged with the one it went into. Those of an
 * input with positions are collected part by part: no partition waits for what becomes of another.
 */
export function inputWithBatching(input: Input, policy: BatchPolicy): Input {
  const batchers = new Map<string, Batcher>();
  let isClosing = false;
  const partOf = (batch: Batch) => (input.positions && batch[0]?.position?.part) ?? "";
  return {
    ...(input.endpoints && { endpoints: input.endpoints }),
    async start(context) {
      // Each batcher listens. What ends the collecting for a stream ends its input, too.
      const { draining: _, ...shared } = context;
      setMaxListeners(0, shared.signal);
      const batcherOf = (part: string) => {
        const known = batchers.get(part);
        if (known !== undefined) return known;
        const batcher = new Batcher(policy, shared, (batch) => context.deliver(batch));
        batchers.set(part, batcher);
        if (isClosing) batcher.drain();
        return batcher;
      };
      await input.start({ ...context, deliver: (batch) => batcherOf(partOf(batch)).add(batch) });
    },
    async close() {
      // The input waits for what is under way, so nothing may wait for more to come.
      isClosing = true;
      for (const batcher of batchers.values()) batcher.drain();
      await input.close();
      await closeProcessors(policy.processors ?? []);
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
