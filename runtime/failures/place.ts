// Records which component caused a failure, and where the component is in a document.

import type { GatewayError } from "../errors.ts";
import type { Batch } from "../message/message.ts";
import type { Logger } from "../process/log.ts";

/** The place of a component. */
export interface ComponentPlace {
  /** The label, or the path within the stream: `pipeline.processors[0].mapping`. */
  readonly component: string;
  /** File and line of the document: `orders.yaml:22`. */
  readonly at: string;
}

const places = /* @__PURE__ */ new WeakMap<object, ComponentPlace>();
const failurePlaces = /* @__PURE__ */ new WeakMap<GatewayError, ComponentPlace>();

/** Records the place of a component, and returns the component. */
export function placed<T extends object>(component: T, at: string, name: string): T {
  places.set(component, { component: name, at });
  return component;
}

/** Returns a context whose logger adds the place of the component. */
export function contextAt<T extends { readonly log: Logger }>(context: T, component: object): T {
  const place = places.get(component);
  return place === undefined ? context : { ...context, log: context.log.with({ ...place }) };
}

/** Records that a component caused a failure, unless a component inside of it did. */
export function noteFailure(failure: GatewayError, component: object): void {
  const place = places.get(component);
  if (place !== undefined) noteFailureAt(failure, place);
}

/** Like `noteFailure`, for several components that were compiled into one. */
export function noteFailureAt(failure: GatewayError, place: ComponentPlace): void {
  if (!failurePlaces.has(failure)) failurePlaces.set(failure, place);
}

/** Records the failures that messages have after a processor processed them. */
export function noteFailures(batches: readonly Batch[], processor: object): void {
  for (const batch of batches) {
    for (const { failure } of batch) if (failure !== undefined) noteFailure(failure, processor);
  }
}

/** Returns the place that caused a failure; `undefined` if it is not known. */
export function placeOf(failure: GatewayError): ComponentPlace | undefined {
  return failurePlaces.get(failure);
}
