import { pause } from "../../backoff.ts";
import type { Input, InputContext } from "../../component.ts";
import { MappingError } from "../../errors.ts";
import { createRequester } from "../../http-requests.ts";
import type { LogFields } from "../../log.ts";
import { type Batch, Message } from "../../message.ts";
import { createRedelivery } from "../../redelivery.ts";
import { type HttpClientInputOptions, httpClientInputDefaults } from "./generated/input-options.ts";

/**
 * Calls an address again and again; each reply is one message. The next call is made once the message is
 * confirmed, and not before `rate_limit` has passed since the last call, or lets it through. Interpolated fields see the
 * previous reply, an empty message at first.
 */
export function httpClientInput(options: HttpClientInputOptions): Input {
  const settings = { ...httpClientInputDefaults, ...options };
  const closing = new AbortController();
  let polling: Promise<void> | undefined;
  return {
    async start(context) {
      polling = poll(settings, context, closing.signal);
    },
    async close() {
      closing.abort();
      await polling;
    },
  };
}

type Settings = HttpClientInputOptions &
  Required<Pick<HttpClientInputOptions, keyof typeof httpClientInputDefaults>>;

async function poll(settings: Settings, context: InputContext, stop: AbortSignal): Promise<void> {
  const { rate_limit: limit, ...fixed } = settings;
  const request = createRequester(typeof limit === "object" ? { ...fixed, rate_limit: limit } : fixed);
  const redelivery = createRedelivery(context);
  let previous: Batch = [Message.fromText("")];
  let failing = false;
  while (!stop.aborted) {
    const startedAt = performance.now();
    try {
      const { body, metadata } = await request(previous, 0, { log: context.log, signal: stop });
      if (failing) context.log.info("polling succeeds again");
      failing = false;
      if (body.length > 0 || !settings.drop_empty_bodies) {
        previous = [Message.fromBytes(body, metadata)];
        await redelivery.deliver(previous, stop);
      }
    } catch (error) {
      if (stop.aborted) return;
      if (!failing) context.log.warn("polling fails, trying on", reasonOf(error));
      failing = true;
    }
    await pause(restOfInterval(settings, startedAt, failing), stop);
  }
}

/** The text of a mapping's failure quotes the message, so it stays out of the log. */
function reasonOf(error: unknown): LogFields {
  if (error instanceof MappingError) return { reason: "a field could not be computed" };
  return { reason: error instanceof Error ? error.message : String(error) };
}

/** A poll that failed is not repeated at once, even where polls follow each other without a pause. */
function restOfInterval(
  { rate_limit = 0, retry_period }: Settings,
  startedAt: number,
  failed: boolean,
): number {
  const period = typeof rate_limit === "number" ? rate_limit : 0;
  const interval = failed ? Math.max(period, retry_period) : period;
  return Math.max(0, interval - (performance.now() - startedAt));
}
