// What outputs made of other outputs have in common.

import type { Sequence } from "../concurrency/ordering.ts";
import { contextAt } from "../failures/place.ts";
import type { Batch } from "../message/message.ts";
import type { ComponentContext, Input, Output } from "./component.ts";
import type { Endpoint } from "./endpoint.ts";

/** The routes of all of them, in order. */
export function endpointsOf(children: readonly (Input | Output)[]): readonly Endpoint[] {
  return children.flatMap((child) => child.endpoints ?? []);
}

/** Starts all of them; where one cannot, closes the rest and rejects. */
export async function startOutputs(outputs: readonly Output[], context: ComponentContext): Promise<void> {
  await startAll(outputs, (output) => output.start(contextAt(context, output)));
}

/** Calls `start` for all at once; where one rejects, closes all and rejects with its failure. */
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

/** What waits at the sources of all that know, as `Input.lag`. */
export function lagOf(inputs: readonly Input[]): number | undefined {
  const known = inputs.flatMap((input) => input.lag?.() ?? []);
  return known.length === 0 ? undefined : known.reduce((sum, lag) => sum + lag, 0);
}

/** Prepares all inputs that have something durable, as `Input.prepare`; nothing where none of them has. */
export function preparationOf(inputs: readonly Input[]): Pick<Input, "prepare"> {
  if (inputs.every(({ prepare }) => prepare === undefined)) return {};
  return {
    async prepare(context) {
      await Promise.all(inputs.map((input) => input.prepare?.(contextAt(context, input))));
    },
  };
}

/** `Input.sequenceOf` of several inputs as one, which keeps their sequences apart; absent where none of them has any. */
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

/** The sequences of the messages of a batch, by the input that delivered it. */
export function* sequencesIn(batch: Batch, sequenceOf: Input["sequenceOf"]): Generator<Sequence> {
  if (sequenceOf === undefined) return;
  for (const message of batch) {
    const sequence = sequenceOf(message);
    if (sequence !== undefined) yield sequence;
  }
}

/** Closes all of them at once. */
export async function closeAll(children: readonly (Input | Output)[]): Promise<void> {
  await Promise.all(children.map((child) => child.close()));
}

/** An output that is `child` but for how it writes, and what is given in `own`. */
export function wrapOutput(child: Output, own: Partial<Output> & Pick<Output, "write">): Output {
  return {
    start: (context) => child.start(contextAt(context, child)),
    close: () => child.close(),
    ...(child.endpoints && { endpoints: child.endpoints }),
    ...(child.demand && { demand: child.demand }),
    takesFailed: (batch, index) => child.takesFailed?.(batch, index) ?? false,
    ...own,
  };
}
