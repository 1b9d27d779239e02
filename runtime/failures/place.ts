// Records which component caused a failure, and where the component is in a document.

import type { Batch } from "../message/message.ts";
import type { Logger } from "../process/log.ts";

/** The place of a component. */
export type ComponentPlace = {
  /** The label, or the path within the stream: `pipeline.processors[0].mapping`. */
  readonly component: string;
  /** File and line of the document: `orders.yaml:22`. */
  readonly at: string;
};

const places = /* @__PURE__ */ new WeakMap<object, ComponentPlace>();
const failurePlaces = /* @__PURE__ */ new WeakMap<object, ComponentPlace>();

/** Records the place of a component, and returns the component. */
export function placed<T extends object>(component: T, at: string, name: string): T {
  places.set(component, { component: name, at });
  return component;
}

type Logging = { readonly log: Logger };

/** The latest context of each component, and its own. The logger is kept, because limits on lines belong to it. */
const contexts = /* @__PURE__ */ new WeakMap<object, readonly [from: Logging, own: Logging]>();

/** Returns a context whose logger adds the place of the component: the same one for the same context. */
export function contextAt<T extends Logging>(context: T, component: object): T {
  const place = places.get(component);
  if (place === undefined) return context;
  const [from, known] = contexts.get(component) ?? [];
  if (from === context) return known as T;
  const own = {
    ...context,
    log: (from?.log === context.log && known?.log) || context.log.with(place),
  };
  contexts.set(component, [context, own]);
  return own;
}

/** Starts a component with a logger that adds its place. A failure to start has the place, too. */
export async function startAt<T extends Logging>(
  component: { start?(context: T): Promise<void> },
  context: T,
): Promise<void> {
  try {
    await component.start?.(contextAt(context, component));
  } catch (error) {
    if (error instanceof Error) noteFailure(error, component);
    throw error;
  }
}

/** Records that a component caused a failure, unless a component inside of it did. */
export function noteFailure(failure: Error, component: object): void {
  const place = places.get(component);
  if (place !== undefined) noteFailureAt(failure, place);
}

/** Like `noteFailure`, for several components that were compiled into one. */
export function noteFailureAt(failure: Error, place: ComponentPlace): void {
  if (!failurePlaces.has(failure)) failurePlaces.set(failure, place);
}

/** Records the failures that messages have after a processor processed them. */
export function noteFailures(batches: readonly Batch[], processor: object): void {
  for (const batch of batches) {
    for (const { failure } of batch) if (failure !== undefined) noteFailure(failure, processor);
  }
}

/** Returns the place that caused a failure; `undefined` if it is not known. */
export function placeOf(failure: object): ComponentPlace | undefined {
  return failurePlaces.get(failure);
}
