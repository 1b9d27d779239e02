import type { Input, InputContext } from "../../component/component.ts";
import { createRedelivery, withReplay } from "../../component/redelivery.ts";
import { abort } from "../../concurrency/abort.ts";
import { pause } from "../../concurrency/backoff.ts";
import { createSourceFailures } from "../../failures/source-failures.ts";
import { type Batch, Message } from "../../message/message.ts";
import { boundaryOf, parseMultipart } from "../../message/multipart.ts";
import { createCaller, type HttpCaller, type HttpReply } from "../../requests/caller.ts";
import { requestAfter } from "../../requests/describe.ts";
import { type HttpClientInputOptions, httpClientInputDefaults } from "./generated/input-options.ts";
import { type InputSettings, restOfInterval } from "./pace.ts";
import { readStreams } from "./streaming.ts";

/**
 * Calls an address repeatedly. Each reply is one message, or with `stream` each line of an endless reply. The next
 * call starts once the messages are confirmed, and either `rate_limit` milliseconds after the last call or when the
 * rate limit admits it. Interpolated fields see the previous reply, which is at first an empty message.
 */
export function httpClientInput(options: HttpClientInputOptions): Input {
  return callingInput(options, ({ stream }) => (stream.enabled === true ? readStreams : poll));
}

/** Makes calls until `stop` is aborted; resolves when all messages are settled. */
type Work = (
  settings: InputSettings,
  caller: HttpCaller,
  context: InputContext,
  stop: AbortSignal,
) => Promise<void>;

/** Returns an input that makes calls with the function that `workOf` returns. */
export function callingInput(
  options: HttpClientInputOptions,
  workOf: (settings: InputSettings) => Work,
): Input {
  const settings: InputSettings = { ...httpClientInputDefaults, ...options };
  const closing = new AbortController();
  let caller: HttpCaller | undefined;
  let running: Promise<void> | undefined;
  return {
    async start(given) {
      const context = withReplay(given, settings.auto_replay_nacks);
      const { rate_limit: limit, ...fixed } = settings;
      caller = createCaller(typeof limit === "object" ? { ...fixed, rate_limit: limit } : fixed);
      running = workOf(settings)(settings, caller, context, closing.signal);
    },
    async close() {
      abort(closing);
      await running;
      caller?.close();
    },
  };
}

/** Makes calls until `stop` is aborted; resolves when all messages are settled. */
async function poll(
  settings: InputSettings,
  caller: HttpCaller,
  context: InputContext,
  stop: AbortSignal,
): Promise<void> {
  const redelivery = createRedelivery(context);
  const failures = createSourceFailures("polling", context);
  const describe = requestAfter(settings);
  const requester = { log: context.log, signal: stop };
  let previous: Batch = [Message.fromText("")];
  while (!stop.aborted) {
    const startedAt = performance.now();
    let hasFailed = false;
    try {
      const reply = await caller.call(describe(previous), requester);
      failures.succeeded();
      const batch = messagesOf(reply, settings.drop_empty_bodies);
      if (batch.length > 0) {
        previous = batch;
        await redelivery.deliverNext(batch, stop);
      }
    } catch (error) {
      if (stop.aborted) return;
      failures.failed(error);
      hasFailed = true;
    }
    const rest = restOfInterval(settings, startedAt, hasFailed);
    if (rest > 0) await pause(rest, stop);
  }
}

/** Returns one message, or one for each part of a multipart body; the whole body if it cannot be split. */
function messagesOf({ body, contentType, metadata }: HttpReply, dropEmpty: boolean): Batch {
  const boundary = boundaryOf(contentType);
  const parts = boundary === undefined ? undefined : parseMultipart(body, boundary);
  const contents = parts === undefined ? [body] : parts.map(({ content }) => content);
  return contents
    .filter((content) => content.length > 0 || !dropEmpty)
    .map((content) => Message.fromBytes(content, metadata));
}
