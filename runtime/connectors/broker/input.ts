import {
  closeAll,
  endpointsOf,
  lagOf,
  preparationOf,
  sequencesOf,
  startAll,
} from "../../component/children.ts";
import type { Input } from "../../component/component.ts";
import { startAt } from "../../failures/place.ts";
import { inputWithBatching } from "../../processors/around/with-batching.ts";
import type { BrokerInputOptions } from "./generated/input-options.ts";

/**
 * Reads all inputs in parallel and delivers their messages, without an order between the inputs. Each input
 * acknowledges its own messages, even if `batching` collects messages of several. The broker ends when all inputs
 * have ended.
 */
export function brokerInput({ inputs, batching }: BrokerInputOptions): Input {
  const joined: Input = {
    endpoints: endpointsOf(inputs),
    isServer: inputs.every(({ isServer }) => isServer === true),
    ...preparationOf(inputs),
    ...sequencesOf(inputs),
    async start(context) {
      const reading = new Set(inputs);
      const end = (input: Input) => {
        reading.delete(input);
        if (reading.size === 0) context.reportEnd?.();
      };
      await startAll(inputs, (input) => startAt(input, { ...context, reportEnd: () => end(input) }));
    },
    close: () => closeAll(inputs),
    lag: () => lagOf(inputs),
  };
  return batching === undefined ? joined : inputWithBatching(joined, batching);
}
