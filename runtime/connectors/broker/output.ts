import { Batcher } from "../../batching.ts";
import { closeAll, endpointsOf, startOutputs } from "../../children.ts";
import type { Delivered, Demand, Output } from "../../component.ts";
import { joinDemands } from "../../demand.ts";
import { findHeld } from "../../gate.ts";
import type { Batch } from "../../message.ts";
import { notConnected } from "../../persistence.ts";
import { type BrokerOutputOptions, brokerOutputDefaults } from "./generated/output-options.ts";
import { createPattern } from "./patterns.ts";
import type { Running } from "./running.ts";

/**
 * Hands messages to its outputs, to all or to one of them as the pattern says. A write is confirmed when every
 * output that got the batch has confirmed it.
 */
export function brokerOutput(options: BrokerOutputOptions): Output {
  const { outputs, batching } = options;
  const pattern = createPattern(options.pattern ?? brokerOutputDefaults.pattern, outputs);
  const closing = new AbortController();
  let running: Running | undefined;
  let batcher: Batcher | undefined;

  async function write(batch: Batch): Promise<Delivered> {
    if (running === undefined) throw notConnected();
    return pattern.write(batch, running);
  }

  const demand = demandOf(outputs, pattern.reachesAll, () => {
    batcher?.flush();
    pattern.release?.();
  });
  const holds = (batch: Batch, index: number) => (output: Output) =>
    findHeld(output, batch, index) !== undefined;
  return {
    endpoints: endpointsOf(outputs),
    ...(demand && { demand }),
    // The gate behind a collected batch would hold up messages of others.
    takesFailed: (batch, index) =>
      pattern.reachesAll ? !outputs.some(holds(batch, index)) : !outputs.every(holds(batch, index)),
    async start(context) {
      running = { log: context.log, signal: AbortSignal.any([closing.signal, context.signal]) };
      batcher = batching && new Batcher(batching, context, write);
      await startOutputs(outputs, context);
    },
    write: (batch) => (batcher === undefined ? write(batch) : batcher.add(batch)),
    async close() {
      batcher?.drain();
      closing.abort();
      await closeAll(outputs);
      await batcher?.close();
    },
  };
}

/** The demand of the outputs together; letting go of the input lets go of what waits here, too. */
function demandOf(outputs: readonly Output[], reachesAll: boolean, release: () => void): Demand | undefined {
  const demand = joinDemands(outputs, reachesAll ? "every" : "some");
  if (demand === undefined) return undefined;
  return {
    get wanted() {
      return demand.wanted;
    },
    get clients() {
      return demand.clients ?? 0;
    },
    onChange: (listener) => demand.onChange(listener),
    release() {
      release();
      demand.release?.();
    },
  };
}
