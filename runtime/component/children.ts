// Helpers for inputs and outputs that consist of other inputs and outputs.

import type { Sequence } from "../concurrency/ordering.ts";
import { contextAt, startAt } from "../failures/place.ts";
import type { Batch } from "../message/message.ts";
import type { ComponentContext, Input, Output } from "./component.ts";
import type { Endpoint } from "./endpoint.ts";

/** Returns the routes of all children, in order. */
export function endpointsOf(children: readonly (Input | Output)[]): readonly Endpoint[] {
  return children.flatMap((child) => child.endpoints ?? []);
}

/** Starts all outputs; if one cannot start, closes all of them and rejects. */
export async function startOutputs(outputs: readonly Output[], context: ComponentContext): Promise<void> {
  await startAll(outputs, (output) => startAt(output, context));
}

/**
 * Calls `start` for all children concurrently; if one rejects, closes all of them and rejects with the first failure.
 */
export async function startAll<T extends Input | Output>(
  children: readonly T[],
  start: (child: T) => Promise<void>,
): Promise<void> {
  const started = await Promise.allSettled(children.map(start));
  const failed = started.find((outcome) => outcome.status === "rejected");
  if (failed === undefined) return;
  await closeAll(children);
  throw failed.reason;
}

/** Returns the sum of the known lags of `inputs`, as `Input.lag`; `undefined` if none is known. */
export function lagOf(inputs: readonly Input[]): number | undefined {
  const known = inputs.flatMap((input) => input.lag?.() ?? []);
  return known.length === 0 ? undefined : known.reduce((sum, lag) => sum + lag, 0);
}

/** Returns a `prepare` that prepares all inputs, as `Input.prepare`; nothing if no input has durable state. */
export function preparationOf(inputs: readonly Input[]): Pick<Input, "prepare"> {
  if (inputs.every(({ prepare }) => prepare === undefined)) return {};
  return {
    async prepare(context) {
      await Promise.all(inputs.map((input) => input.prepare?.(contextAt(context, input))));
    },
  };
}

/**
 * Returns an `Input.sequenceOf` that covers several inputs and keeps their sequences apart; nothing if no input has
 * one.
 */
export function sequencesOf(inputs: readonly Input[]): Pick<Input, "sequenceOf"> {
  if (inputs.every(({ sequenceOf }) => sequenceOf === undefined)) return {};
  return {
    sequenceOf(message) {
      for (const [index, input] of inputs.entries()) {
        const sequence = input.sequenceOf?.(message);
        if (sequence !== undefined) return { ...sequence, name: `${index} ${sequence.name}` };
      }
      return undefined;
    },
  };
}

/** Returns the sequences of the messages of a batch, as the input that delivered it reports them. */
export function* sequencesIn(batch: Batch, sequenceOf: Input["sequenceOf"]): Generator<Sequence> {
  if (sequenceOf === undefined) return;
  for (const message of batch) {
    const sequence = sequenceOf(message);
    if (sequence !== undefined) yield sequence;
  }
}

/** Closes all children concurrently. */
export async function closeAll(children: readonly (Input | Output)[]): Promise<void> {
  await Promise.all(children.map((child) => child.close()));
}

/** Returns an output that behaves like `child`, except for `write` and the other members given in `own`. */
export function wrapOutput(child: Output, own: Partial<Output> & Pick<Output, "write">): Output {
  return {
    start: (context) => startAt(child, context),
    close: () => child.close(),
    ...(child.endpoints && { endpoints: child.endpoints }),
    ...(child.demand && { demand: child.demand }),
    takesFailed: (batch, index) => child.takesFailed?.(batch, index) ?? false,
    ...own,
  };
}
