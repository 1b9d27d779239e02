// Which component a failure came by, and where that was written.

import type { GatewayError } from "../errors.ts";
import type { Batch } from "../message/message.ts";
import type { Logger } from "../process/log.ts";

/** Where a component was written. */
export interface ComponentPlace {
  /** Its label, else its path within the stream: `pipeline.processors[0].mapping`. */
  readonly component: string;
  /** File and line of its document: `orders.yaml:22`. */
  readonly at: string;
}

const places = /* @__PURE__ */ new WeakMap<object, ComponentPlace>();
const failurePlaces = /* @__PURE__ */ new WeakMap<GatewayError, ComponentPlace>();

/** The component itself, which is known by that place from now on. */
export function placed<T extends object>(component: T, at: string, name: string): T {
  places.set(component, { component: name, at });
  return component;
}

/** A context whose lines of the log name that component, where it was written. */
export function contextAt<T extends { readonly log: Logger }>(context: T, component: object): T {
  const place = places.get(component);
  return place === undefined ? context : { ...context, log: context.log.with({ ...place }) };
}

/** Notes that a failure came by a component, unless it came by one inside of that. */
export function noteFailure(failure: GatewayError, component: object): void {
  const place = places.get(component);
  if (place !== undefined) noteFailureAt(failure, place);
}

/** As `noteFailure`, where several components were made one. */
export function noteFailureAt(failure: GatewayError, place: ComponentPlace): void {
  if (!failurePlaces.has(failure)) failurePlaces.set(failure, place);
}

/** Notes the failures that messages have once a processor has seen them. */
export function noteFailures(batches: readonly Batch[], processor: object): void {
  for (const batch of batches) {
    for (const { failure } of batch) if (failure !== undefined) noteFailure(failure, processor);
  }
}

/** Where a failure came from; `undefined` where that is not known. */
export function placeOf(failure: GatewayError): ComponentPlace | undefined {
  return failurePlaces.get(failure);
}
