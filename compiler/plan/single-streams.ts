// Finds the streams that must run in only one process to do their work once.

import { descriptorOf, servesClients } from "../../schemas/component.ts";
import type { ComponentPlan, Plan, StreamPlan } from "./plan.ts";
import { plannedOptions } from "./planned-options.ts";
import { endsIn } from "./spread.ts";

/** Returns `api.stream` of each stream that the replicas of a gateway do not share; see `hasToRunOnce`. */
export function singleStreamsOf({ apis }: Pick<Plan, "apis">): readonly string[] {
  return apis.flatMap(({ id, streams }) =>
    streams.filter((stream) => !stream.leased && hasToRunOnce(stream)).map(({ name }) => `${id}.${name}`),
  );
}

/**
 * Whether each replica would repeat the work of the stream because no broker divides its input, or whether replicas would
 * miss messages of each other: messages that clients send to one replica reach only clients of that replica.
 */
function hasToRunOnce({ input, output }: StreamPlan): boolean {
  const inputs = endsIn([input], "input");
  const toClients = endsIn([output], "output").some(isEndpoint);
  return inputs.some((end) => (isLocal(end) ? toClients : !isDivided(end)));
}

/** Whether messages come from clients or streams of the same process. */
function isLocal(end: ComponentPlan): boolean {
  return isEndpoint(end) || end.descriptor?.isChannel === true;
}

function isEndpoint({ descriptor }: ComponentPlan): boolean {
  return descriptor !== undefined && servesClients(descriptor);
}

function isDivided({ options, descriptor }: ComponentPlan): boolean {
  const division = descriptorOf("input", { descriptor })?.division;
  return division?.isDivided(plannedOptions(options)) === true;
}
