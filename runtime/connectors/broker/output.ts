import { closeAll, endpointsOf, startOutputs } from "../../component/children.ts";
import type { Output } from "../../component/component.ts";
import { joinDemands, withRelease } from "../../component/demand.ts";
import { findHeld } from "../../component/gate.ts";
import { notConnected } from "../../component/persistence.ts";
import { outputWithBatching } from "../../processors/around/with-batching.ts";
import { type BrokerOutputOptions, brokerOutputDefaults } from "./generated/output-options.ts";
import { createPattern, type Running } from "./patterns.ts";

/**
 * Hands messages to its outputs, to all or to one of them as the pattern says. A write is confirmed when every
 * output that got the batch has confirmed it.
 */
export function brokerOutput({ pattern: name, outputs, batching }: BrokerOutputOptions): Output {
  const pattern = createPattern(name ?? brokerOutputDefaults.pattern, outputs);
  const closing = new AbortController();
  let running: Running | undefined;
  const demand = joinDemands(outputs, pattern.reachesAll ? "every" : "some");
  const joined: Output = {
    endpoints: endpointsOf(outputs),
    ...(demand && { demand: withRelease(demand, () => pattern.release?.()) }),
    takesFailed(batch, index) {
      const takes = (output: Output) => findHeld(output, batch, index) === undefined;
      return pattern.reachesAll ? outputs.every(takes) : outputs.some(takes);
    },
    async start(context) {
      running = { log: context.log, signal: AbortSignal.any([closing.signal, context.signal]) };
      await startOutputs(outputs, context);
    },
    async write(batch) {
      if (running === undefined) throw notConnected();
      return pattern.write(batch, running);
    },
    async close() {
      closing.abort();
      await closeAll(outputs);
    },
  };
  return batching === undefined ? joined : outputWithBatching(joined, batching);
}
