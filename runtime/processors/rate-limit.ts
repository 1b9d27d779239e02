// `rate_limit`: delays messages until a rate limit allows them.

import type { Processor } from "../component/component.ts";
import { waitForLimit } from "../component/rate-limit-wait.ts";
import type { RateLimitOptions } from "./generated/rate-limit-options.ts";

/** Waits for each message of a batch in turn. When the stream stops, the batch is refused and returns to its input. */
export function rateLimit({ resource }: RateLimitOptions): Processor {
  return {
    async process(batch, context) {
      for (const message of batch) await waitForLimit(resource, message.bytes().length, context);
      return [batch];
    },
  };
}
