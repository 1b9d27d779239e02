// Replies that do not end: each line is a message.

import { pause } from "../../backoff.ts";
import type { InputContext } from "../../component.ts";
import { readLines } from "../../lines.ts";
import { type Batch, Message } from "../../message.ts";
import { createRedelivery } from "../../redelivery.ts";
import type { Caller } from "../../requests/caller.ts";
import { describeRequest, payloadContent } from "../../requests/describe.ts";
import type { InputSettings } from "./input.ts";
import { createFailures, restOfInterval } from "./pace.ts";

/**
 * Reads reply after reply until `stop` is aborted, or the first one where `reconnect` is off; the input has then
 * ended. A line is read once the one before it is confirmed, so that what waits stays with the server.
 */
export async function readStreams(
  settings: InputSettings,
  caller: Caller,
  context: InputContext,
  stop: AbortSignal,
): Promise<void> {
  const redelivery = createRedelivery(context);
  const failures = createFailures("reading the stream", context.log);
  const { scanner = {}, reconnect = true } = settings.stream;
  let previous: Batch = [Message.fromText("")];

  async function readOne(): Promise<void> {
    const request = describeRequest(settings, previous, 0, payloadContent(settings, previous, 0));
    const { body, metadata } = await caller.open(request, { log: context.log, signal: stop }, stop);
    for await (const line of readLines(body, scanner.lines ?? {})) {
      failures.succeeded();
      if (line.length === 0 && settings.drop_empty_bodies) continue;
      previous = [Message.fromBytes(line, metadata)];
      await redelivery.deliver(previous, stop);
      if (stop.aborted) return;
    }
  }

  while (!stop.aborted) {
    const startedAt = performance.now();
    try {
      await readOne();
      if (!reconnect) break;
    } catch (error) {
      if (stop.aborted) return;
      failures.failed(error);
    }
    // A server that ends every reply at once would be called without a pause.
    await pause(restOfInterval(settings, startedAt, true), stop);
  }
  if (!stop.aborted) context.reportEnd?.();
}
