import type { ComponentContext, Output } from "../../component.ts";
import { GatewayError } from "../../errors.ts";
import { createRequester } from "../../http-requests.ts";
import type { Batch } from "../../message.ts";
import { Slots } from "../../slots.ts";
import { type HttpClientOutputOptions, httpClientOutputDefaults } from "./generated/output-options.ts";

/**
 * Sends each message as a request; a reply of 200 to 299 confirms it. The messages of a batch are sent one
 * after another and the first failure ends it; up to `max_in_flight` batches are under way side by side,
 * so only 1 keeps the order among them.
 */
export function httpClientOutput(options: HttpClientOutputOptions): Output {
  const settings = { ...httpClientOutputDefaults, ...options };
  const request = createRequester(settings);
  const slots = new Slots(settings.max_in_flight);
  const closing = new AbortController();
  let context: ComponentContext | undefined;
  let failing = false;

  /** The log tells when requests begin to fail and when they succeed again. */
  function tell(nowFailing: boolean): void {
    if (nowFailing === failing) return;
    failing = nowFailing;
    if (failing) context?.log.warn("HTTP requests fail");
    else context?.log.info("HTTP requests succeed again");
  }

  async function sendAll(batch: Batch, { log }: ComponentContext): Promise<void> {
    try {
      for (const index of batch.keys()) await request(batch, index, { log, signal: closing.signal });
      tell(false);
    } catch (error) {
      tell(true);
      throw error;
    }
  }

  return {
    async start(given) {
      context = given;
    },
    async write(batch) {
      const started = context;
      if (closing.signal.aborted || started === undefined)
        throw new GatewayError(503, "The HTTP client is closed");
      await slots.use(() => sendAll(batch, started));
      return {};
    },
    async close() {
      closing.abort(); // an attempt under way ends by its timeout; pauses before further ones end now
      await slots.idle();
    },
  };
}
