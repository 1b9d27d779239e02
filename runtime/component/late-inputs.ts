// Inputs that are made and started while their stream runs.

import { createBackoff, pause } from "../concurrency/backoff.ts";
import { toGatewayError } from "../errors.ts";
import type { ComponentContext, Input } from "./component.ts";

const pauses = { first: 200, longest: 30_000 };

/**
 * Starts an input, a new one for each attempt, until one runs. Gives `undefined` when the stream, or `end`,
 * ends before that; nothing is left running then.
 */
export async function startLate(
  create: () => Input,
  start: (input: Input) => Promise<void>,
  { log, signal }: ComponentContext,
  end: AbortSignal,
): Promise<Input | undefined> {
  const over = AbortSignal.any([signal, end]);
  const backoff = createBackoff(pauses);
  while (!over.aborted) {
    const input = create();
    try {
      await start(input);
      if (!over.aborted) return input;
      await input.close();
    } catch (error) {
      await input.close();
      log.warn("an input failed to start, trying again", {
        reason: toGatewayError(error, 500, "Internal error").message,
      });
      await pause(backoff.next(), over);
    }
  }
  return undefined;
}
