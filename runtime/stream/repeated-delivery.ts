// `error_handling.strategy: retry`: a batch that was not delivered is processed and delivered again.

import type { Delivered, RepeatDelivery } from "../component/component.ts";
import { createBackoff, pause } from "../concurrency/backoff.ts";
import { toGatewayError } from "../errors.ts";
import { describeFailure } from "../failures/description.ts";

/** Milliseconds, as the reference engine has them. */
const pauses = { first: 500, longest: 300_000 };

/** As `ErrorHandling.repeat`. The last failure is that of the delivery; what caused the first one is logged. */
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
