// `error_handling.strategy: retry`: processes and delivers a batch again until it is delivered.

import type { Delivered, RepeatDelivery } from "../component/component.ts";
import { createBackoff, pause } from "../concurrency/backoff.ts";
import { toGatewayError } from "../errors.ts";
import { describeFailure } from "../failures/description.ts";

/** Milliseconds, as in the reference engine. */
const pauses = { first: 500, longest: 300_000 };

/** As `ErrorHandling.repeat`. The first failure is logged with its cause; the last one is the outcome of the delivery. */
export const repeatDelivery: RepeatDelivery =
  (deliver, log, end, attempts) =>
  async (...given): Promise<Delivered> => {
    const backoff = createBackoff(pauses);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await deliver(...given);
      } catch (error) {
        if (attempt === attempts || end.aborted) throw error;
        const failure = toGatewayError(error, 500, "Internal error");
        if (attempt === 1) log.warn("batch not delivered, trying again", { ...describeFailure(failure) });
        await pause(backoff.next(), end);
        if (end.aborted) throw error;
      }
    }
  };
