// Inputs that are created and started while their stream runs.

import { createBackoff, pause } from "../concurrency/backoff.ts";
import { createSourceFailures } from "../failures/source-failures.ts";
import type { ComponentContext, Input } from "./component.ts";

const pauses = { first: 200, longest: 30_000 };

/**
 * Starts an input, a new one for each attempt, until an attempt succeeds. Returns `undefined` if the stream ends or
 * `end` is aborted before that; no input is left running then.
 */
export async function startLate(
  create: () => Input,
  start: (input: Input) => Promise<void>,
  context: ComponentContext,
  end: AbortSignal,
): Promise<Input | undefined> {
  const over = AbortSignal.any([context.signal, end]);
  const failures = createSourceFailures("starting the next input", context);
  const backoff = createBackoff(pauses);
  while (!over.aborted) {
    const input = create();
    try {
      await start(input);
      failures.succeeded();
      if (!over.aborted) return input;
      await input.close();
    } catch (error) {
      await input.close();
      if (!over.aborted) failures.failed(error);
      await pause(backoff.next(), over);
    }
  }
  return undefined;
}
