// Replies as messages, one call after another.

import type { InputContext } from "../../component/component.ts";
import { createRedelivery } from "../../component/redelivery.ts";
import { pause } from "../../concurrency/backoff.ts";
import { createSourceFailures } from "../../failures/source-failures.ts";
import { type Batch, Message } from "../../message/message.ts";
import { boundaryOf, parseMultipart } from "../../message/multipart.ts";
import type { HttpCaller, HttpReply } from "../../requests/caller.ts";
import { describeRequest, payloadContent } from "../../requests/describe.ts";
import type { InputSettings } from "./pace.ts";
import { restOfInterval } from "./pace.ts";

/** Calls until `stop` is aborted; resolves when what came is settled. */
export async function poll(
  settings: InputSettings,
  caller: HttpCaller,
  context: InputContext,
  stop: AbortSignal,
): Promise<void> {
  const redelivery = createRedelivery(context);
  const failures = createSourceFailures("polling", context);
  let previous: Batch = [Message.fromText("")];
  while (!stop.aborted) {
    const startedAt = performance.now();
    let hasFailed = false;
    try {
      const request = describeRequest(settings, previous, 0, payloadContent(settings, previous, 0));
      const reply = await caller.call(request, { log: context.log, signal: stop });
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

/** One message, or one for each part of a body that has several; of what cannot be taken apart, the whole. */
function messagesOf({ body, contentType, metadata }: HttpReply, dropEmpty: boolean): Batch {
  const boundary = boundaryOf(contentType);
  const parts = boundary === undefined ? undefined : parseMultipart(body, boundary);
  const contents = parts === undefined ? [body] : parts.map(({ content }) => content);
  return contents
    .filter((content) => content.length > 0 || !dropEmpty)
    .map((content) => Message.fromBytes(content, metadata));
}
