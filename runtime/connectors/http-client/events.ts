// Replies of server-sent events (`text/event-stream`: HTML, section 9.2.6). Each event is a message.

import type { Input, InputContext } from "../../component/component.ts";
import { createRedelivery } from "../../component/redelivery.ts";
import { GatewayError } from "../../errors.ts";
import { createSourceFailures } from "../../failures/source-failures.ts";
import { isHeader } from "../../http/request-fields.ts";
import { type Batch, Message } from "../../message/message.ts";
import type { Value } from "../../message/value.ts";
import { bodyBudget } from "../../process/memory/body-budget.ts";
import type { HttpCaller } from "../../requests/caller.ts";
import { describeRequest, payloadContent } from "../../requests/describe.ts";
import type { OutgoingRequest } from "../../requests/request.ts";
import { decodeUtf8, fieldValue } from "../../text/utf8.ts";
import type { HttpClientInputOptions } from "./generated/input-options.ts";
import { callingInput } from "./input.ts";
import { type InputSettings, readReplies } from "./pace.ts";
import { holdLine } from "./streaming.ts";

/** One event, or a blank line without data before it. */
export interface ServerEvent {
  /** `undefined` if the event has no data, or was too large. */
  readonly data: string | undefined;
  /** The value of `event`, or `message`. */
  readonly type: string;
  /** The last id that the server sent, in this event or before; empty if there is none. */
  readonly id: string;
  /** Whether the event exceeded the size limit; it is skipped. */
  readonly isTooLarge: boolean;
}

/** Longest pause that a server may request, in milliseconds. */
const longestRetry = 3_600_000;

/** Splits a reply into events. */
export class EventStream {
  readonly #longest: number;
  readonly #lines: LineGatherer;
  /** The pause before the next request that the server requested, in milliseconds. */
  retry: number | undefined;
  #data: string[] = [];
  #size = 0;
  #type = "";
  #id: string;
  #isTooLarge = false;

  /** `longest`: bytes of a line, and of the data of an event. `id`: the last id of the previous reply. */
  constructor(longest: number, id: string) {
    this.#longest = longest;
    this.#lines = new LineGatherer(longest);
    this.#id = id;
  }

  /** Size of the current incomplete event, in bytes. */
  get held(): number {
    return this.#size + this.#lines.length;
  }

  /** Returns the events that end in `chunk`. Data after the last blank line of a reply is not an event. */
  *take(chunk: Uint8Array): Generator<ServerEvent> {
    for (const line of this.#lines.take(chunk)) {
      if (line === undefined) this.#isTooLarge = true;
      else if (line.length === 0) yield this.#end();
      else this.#takeField(decodeUtf8(line));
    }
  }

  #end(): ServerEvent {
    const isTooLarge = this.#isTooLarge;
    const data = isTooLarge || this.#data.length === 0 ? undefined : this.#data.join("\n");
    const event = { data, type: this.#type || "message", id: this.#id, isTooLarge };
    this.#data = [];
    this.#size = 0;
    this.#type = "";
    this.#isTooLarge = false;
    return event;
  }

  #takeField(line: string): void {
    const colon = line.indexOf(":");
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "data") this.#addData(value);
    else if (name === "event") this.#type = value;
    else if (name === "id" && !value.includes("\0")) this.#id = value;
    else if (name === "retry" && /^\d+$/.test(value)) this.retry = Math.min(Number(value), longestRetry);
  }

  #addData(value: string): void {
    // Line breaks count too; otherwise empty lines would be unlimited.
    this.#size += Buffer.byteLength(value) + 1;
    if (this.#size > this.#longest) {
      this.#isTooLarge = true;
      this.#data = [];
      this.#size = 0;
    } else if (!this.#isTooLarge) this.#data.push(value);
  }
}

const [lineFeed, carriageReturn] = [10, 13];

const byteOrderMark = Buffer.from("\ufeff");

/** Splits chunks into lines, which end with CR LF, LF or CR. */
class LineGatherer {
  readonly #longest: number;
  #bytes = Buffer.allocUnsafe(1024);
  #length = 0;
  #isTooLong = false;
  #wasReturn = false;
  #isFirst = true;

  constructor(longest: number) {
    this.#longest = longest;
  }

  /** Size of the current line, in bytes. */
  get length(): number {
    return this.#length;
  }

  /**
   * Returns the lines that end in `chunk`; `undefined` for one that is too long.
   * A line is valid until the next is requested.
   */
  *take(chunk: Uint8Array): Generator<Buffer | undefined> {
    let start = 0;
    for (let index = 0; index < chunk.length; index += 1) {
      const byte = chunk[index];
      const isSecondHalf = byte === lineFeed && this.#wasReturn;
      this.#wasReturn = byte === carriageReturn;
      if (isSecondHalf) start = index + 1;
      else if (byte === lineFeed || byte === carriageReturn) {
        this.#append(chunk.subarray(start, index));
        start = index + 1;
        yield this.#end();
      }
    }
    this.#append(chunk.subarray(start));
  }

  #append(part: Uint8Array): void {
    const length = this.#length + part.length;
    this.#isTooLong ||= length > this.#longest;
    if (this.#isTooLong) this.#length = 0;
    if (this.#isTooLong || part.length === 0) return;
    if (length > this.#bytes.length) {
      const grown = Buffer.allocUnsafe(Math.max(length, 2 * this.#bytes.length));
      grown.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = grown;
    }
    this.#bytes.set(part, this.#length);
    this.#length = length;
  }

  #end(): Buffer | undefined {
    const line = this.#isTooLong ? undefined : this.#bytes.subarray(0, this.#length);
    const hasMark = this.#isFirst && line?.subarray(0, 3).equals(byteOrderMark) === true;
    this.#length = 0;
    this.#isTooLong = false;
    this.#isFirst = false;
    return hasMark ? line?.subarray(3) : line;
  }
}

/** Like `httpClientInput`, for an address that sends events (`text/event-stream`). */
export function httpEventsInput(options: HttpClientInputOptions): Input {
  return callingInput(options, () => readEvents);
}

/** Longest id that is sent in a header, in bytes: servers refuse headers of more than a few kilobytes. */
const longestId = 4096;

/**
 * Reads reply after reply until `stop` is aborted or the server answers 204; only the first reply if `reconnect` is
 * off. Reads an event once the previous one is confirmed. The next request names the last confirmed event.
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

  /** Delivers an event. Returns whether it is settled, so that it need not be sent again. */
  async function deliver(event: ServerEvent, head: ReadonlyMap<string, Value>): Promise<boolean> {
    const { data, type, id, isTooLarge } = event;
    if (isTooLarge) context.log.error("an event is too large and was skipped", { id, longest });
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

/**
 * Adds headers. Headers in the document take precedence, except for the id once there is one. An id that is invalid
 * in a header is not sent.
 */
function addEventHeaders({ headers }: OutgoingRequest, id: string): void {
  if (!headers.has("accept")) headers.set("accept", "text/event-stream");
  if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
  const value = fieldValue(id);
  if (value !== "" && value.length <= longestId && isHeader("last-event-id", value))
    headers.set("last-event-id", value);
}
