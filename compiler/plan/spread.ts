// Determines whether a stream may run in several processes of a gateway, or in several replicas, with the same
// guarantees as in one.

import { descriptorOf, servesClients } from "../../schemas/component.ts";
import { type EndKind, isLeasable, readsOwn } from "../model/leases.ts";
import type { SettingsModel } from "../model/settings.ts";
import type { ComponentPlan, Plan, StreamPlan, ValuePlan } from "./plan.ts";
import { plannedOptions } from "./planned-options.ts";
import { valuesWithin } from "./values.ts";

/**
 * Whether a stream may run in every process: clients reach it, requests or a broker divide its messages, and messages to
 * clients need not be sent by the process that received them. Background streams run once.
 */
export function isSpread({ input, output, errorHandling }: Omit<StreamPlan, "spread" | "leased">): boolean {
  const inputs = endsIn([input], "input");
  const outputs = endsIn([output, ...(errorHandling === undefined ? [] : [errorHandling])], "output");
  const ends = [...inputs, ...outputs];
  if (!ends.some(isEndpoint) || ends.some(isChannel)) return false;
  const toClients = outputs.filter(isEndpoint);
  if (toClients.some(isBroadcast)) return false;
  return inputs.every((end) => (isEndpoint(end) ? toClients.length === 0 : divides(end)));
}

/** Whether only one replica at a time reads the input of a stream, controlled by a lease of the settings. */
export function isLeased(
  { input, output, errorHandling }: Omit<StreamPlan, "spread" | "leased">,
  { leases }: Pick<SettingsModel, "leases">,
): boolean {
  if (leases === undefined) return false;
  const outputs = [output, ...(errorHandling === undefined ? [] : [errorHandling])];
  const kindOf = (end: ComponentPlan): EndKind =>
    isEndpoint(end) || (end.role === "input" && readsOwn(end.descriptor))
      ? "endpoint"
      : isChannel(end)
        ? "channel"
        : divides(end)
          ? "divided"
          : "undivided";
  return isLeasable(endsIn([input], "input").map(kindOf), endsIn(outputs, "output").map(kindOf));
}

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
  const toClients = endsIn([output], "output").some(isEndpoint);
  return endsIn([input], "input").some((end) =>
    isEndpoint(end) || isChannel(end) ? toClients : !divides(end),
  );
}

function divides({ role, options, descriptor }: ComponentPlan): boolean {
  const division = role === "input" ? descriptorOf(role, { descriptor })?.division : undefined;
  return division?.isDivided(plannedOptions(options)) === true;
}

function isBroadcast({ options }: ComponentPlan): boolean {
  return plannedOptions(options).texts("distribution").includes("broadcast");
}

function isEndpoint({ descriptor }: ComponentPlan): boolean {
  const component = descriptor;
  return component !== undefined && servesClients(component);
}

function isChannel({ descriptor }: ComponentPlan): boolean {
  return descriptor?.isChannel === true;
}

/** Returns the components of a role that contain no other components of that role. */
function endsIn(values: readonly ValuePlan[], role: "input" | "output"): readonly ComponentPlan[] {
  return values
    .flatMap((value) => componentsIn(value, role))
    .filter(({ options }) => componentsIn(options, role).length === 0);
}

function componentsIn(value: ValuePlan, role: "input" | "output"): readonly ComponentPlan[] {
  return valuesWithin(value).filter(
    (each): each is ComponentPlan => each.kind === "Component" && each.role === role,
  );
}
