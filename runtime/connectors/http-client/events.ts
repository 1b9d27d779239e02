// Replies of server-sent events, each event a message.

import { validateHeaderValue } from "node:http";
import type { Input, InputContext } from "../../component/component.ts";
import { createRedelivery } from "../../component/redelivery.ts";
import { GatewayError } from "../../errors.ts";
import { createSourceFailures } from "../../failures/source-failures.ts";
import { type Batch, Message } from "../../message/message.ts";
import type { Value } from "../../message/value.ts";
import { bodyBudget } from "../../process/memory/body-budget.ts";
import type { HttpCaller } from "../../requests/caller.ts";
import { describeRequest, payloadContent } from "../../requests/describe.ts";
import type { OutgoingRequest } from "../../requests/request.ts";
import { fieldValue } from "../../text/utf8.ts";
import { EventStream, type ServerEvent } from "./event-stream.ts";
import type { HttpClientInputOptions } from "./generated/input-options.ts";
import { callingInput } from "./input.ts";
import { type InputSettings, readReplies } from "./pace.ts";
import { holdLine } from "./streaming.ts";

/** As `httpClientInput`, of an address that sends events (`text/event-stream`). */
export function httpEventsInput(options: HttpClientInputOptions): Input {
  return callingInput(options, () => readEvents);
}

/** Bytes of an id that goes into a header: servers refuse heads of more than some kilobytes. */
const longestId = 4096;

/**
 * Reads reply after reply until `stop` is aborted, the server answers 204, or the first one has ended where `reconnect` is
 * off. An event is read once the one before it is confirmed; the next request names the last event that was confirmed.
 */
async function readEvents(
  settings: InputSettings,
  caller: HttpCaller,
  context: InputContext,
  stop: AbortSignal,
): Promise<void> {
  const redelivery = createRedelivery(context);
  const failures = createSourceFailures("reading events", context);
  const { max_event_bytes: longest = 1_048_576 } = settings.stream;
  let previous: Batch = [Message.fromText("")];
  let lastId = "";
  let retry: number | undefined;

  async function readOne(): Promise<"over" | undefined> {
    const request = describeRequest(settings, previous, 0, payloadContent(settings, previous, 0));
    addEventHeaders(request, lastId);
    const reply = await caller.open(request, { log: context.log, signal: stop }, stop);
    if (reply.status === 204) {
      reply.body.resume();
      return "over";
    }
    if (!/^text\/event-stream\s*(?:;|$)/i.test(reply.contentType)) {
      reply.body.destroy();
      throw new GatewayError(
        502,
        `The answer is ${reply.contentType || "of no type"}, not text/event-stream`,
      );
    }
    failures.succeeded();
    const hold = bodyBudget.hold();
    const { keep } = holdLine(hold, stop);
    const stream = new EventStream(longest, lastId);
    try {
      for await (const chunk of reply.body) {
        for (const event of stream.take(chunk)) {
          if (!(await deliver(event, reply.metadata))) return undefined;
        }
        retry = stream.retry ?? retry;
        await keep(stream.held);
      }
    } finally {
      hold.release();
    }
    return undefined;
  }

  /** Whether the event is settled, so that it need not come again. */
  async function deliver(event: ServerEvent, head: ReadonlyMap<string, Value>): Promise<boolean> {
    const { data, type, id, isTooLarge } = event;
    if (isTooLarge) context.log.error("an event is too large and passed over", { id, longest });
    if (data !== undefined && (data !== "" || !settings.drop_empty_bodies)) {
      const metadata = new Map([
        ...head,
        ["sse_event", type],
        ...(id === "" ? [] : [["sse_id", id] as const]),
      ]);
      previous = [Message.fromText(data, metadata)];
      if ((await redelivery.deliverNext(previous, stop)) === undefined) return false;
    }
    lastId = id;
    return !stop.aborted;
  }

  await readReplies({ settings, failures, context, stop, readOne, leastPause: () => retry ?? 0 });
}

/** What a document writes wins, but for the id once there is one. An id that no header can hold is not sent. */
function addEventHeaders({ headers }: OutgoingRequest, id: string): void {
  if (!headers.has("accept")) headers.set("accept", "text/event-stream");
  if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
  const value = fieldValue(id);
  if (value === "" || value.length > longestId) return;
  try {
    validateHeaderValue("last-event-id", value);
  } catch {
    return;
  }
  headers.set("last-event-id", value);
}
