// The streams that do their work once only where one process runs them.

import { descriptorOf, servesClients } from "../../schemas/component.ts";
import type { ComponentPlan, Plan, StreamPlan } from "./plan.ts";
import { plannedOptions } from "./planned-options.ts";
import { endsIn } from "./spread.ts";

/** `api.stream` of those that replicas of a gateway do not share; see `hasToRunOnce`. */
export function singleStreamsOf({ apis }: Pick<Plan, "apis">): readonly string[] {
  return apis.flatMap(({ id, streams }) =>
    streams.filter((stream) => !stream.leased && hasToRunOnce(stream)).map(({ name }) => `${id}.${name}`),
  );
}

/**
 * Whether replicas would each do the work of the stream, because no broker divides its input, or would not meet: what
 * clients send to one replica is for clients of that replica only.
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
