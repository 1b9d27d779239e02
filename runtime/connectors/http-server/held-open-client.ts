// A client of an output whose response stays open: an event stream, or messages one after the other.

import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { StallGuard } from "../../clients/stall-guard.ts";
import { addToTurn, type JoinItems, joinItems, type Turn, writeTurn } from "../../clients/turn.ts";
import type { Join, PoolClient, PoolMembership, Receipt } from "../../component/message-gates.ts";
import { Limited, TimeLimits } from "../../concurrency/time-limits.ts";
import { addToAnswer, answerLast } from "../../http/gateway-messages.ts";
import type { Message } from "../../message/message.ts";
import type { EncodedPositions } from "../../message/positions.ts";
import { asBuffer, noBytes } from "../../text/utf8.ts";

/** The format that all clients of a route share. */
export interface HeldOpenFormat {
  readonly headers: Readonly<Record<string, string>>;
  /** Written before the first message. */
  readonly opening: string;
  /** Returns what is written of a message: the same object for all clients that are sent it. */
  readonly framed: (message: Message, id?: EncodedPositions) => Framed;
  /** Returns the bytes of messages. */
  readonly inRow: JoinItems<Framed>;
  /** The same as one chunk of an HTTP/1.1 body (RFC 9112, section 7.1). */
  readonly asChunk: JoinItems<Framed>;
  /** Written whenever a heartbeat is due. */
  readonly heartbeat: Framed | undefined;
  readonly heartbeats: TimeLimits | undefined;
  /** Milliseconds after which a client that accepts no bytes is dropped. */
  readonly writeWait: number;
}

/** Content type of an event stream (WHATWG HTML, section 9.2). */
export const eventType = "text/event-stream";

/** Returns the format of a route; times in milliseconds. */
export function createHeldOpenFormat(
  format: "event_source" | "raw_bytes",
  { heartbeat, writeWait }: Pick<HeldOpenFormat, "writeWait"> & { readonly heartbeat: number },
): HeldOpenFormat {
  const isEvents = format === "event_source";
  return {
    headers: headersOf(isEvents ? eventType : "application/octet-stream"),
    // Browsers reconnect after this many milliseconds when the connection breaks.
    opening: isEvents ? "retry: 2000\n\n" : "",
    framed: isEvents ? framedOnce(dataStart, framedEvent) : framedOnce("", framedMessage),
    inRow: (items) => joinFramed(items, false),
    asChunk: (items) => joinFramed(items, true),
    heartbeat: isEvents ? new Framed(": heartbeat", noBytes, "\n\n") : undefined,
    heartbeats: isEvents && heartbeat > 0 ? TimeLimits.endingBy(heartbeat) : undefined,
    writeWait,
  };
}

function headersOf(contentType: string): HeldOpenFormat["headers"] {
  return {
    // Tells proxies not to buffer a held-open response.
    "x-accel-buffering": "no",
    "content-type": contentType,
    "cache-control": "no-cache, no-transform",
    "x-content-type-options": "nosniff",
  };
}

/** Frames each message once: a broadcast sends it to all of its clients, of which each takes it when it is ready. */
function framedOnce(
  start: string,
  frame: (bytes: Uint8Array, id?: EncodedPositions) => Framed,
): HeldOpenFormat["framed"] {
  return (message, id) => {
    const { memo } = message;
    if (memo instanceof Framed && memo.id === id && memo.start === start) return memo;
    const framed = frame(message.bytes(), id);
    message.memo = framed;
    return framed;
  };
}

/**
 * Calls `join` to add the client until it leaves, and then sends the head. A silent client is never timed out, only
 * one that accepts none of the bytes that wait for it. If `join` returns a promise, this also returns one: it
 * resolves when the head is sent, and rejects, before anything is sent, if the client cannot be added.
 */
export function serveHeldOpen(
  join: Join,
  response: ServerResponse,
  format: HeldOpenFormat,
): Promise<void> | undefined {
  if (response.closed) return undefined;
  const client = new HeldOpenClient(response, format);
  const membership = join(client);
  if (membership instanceof Promise) return membership.then((joined) => client.begin(joined));
  client.begin(membership);
  return undefined;
}

/** A client. Each is only one object, because thousands may be idle. */
class HeldOpenClient extends Limited implements PoolClient {
  readonly #response: ServerResponse;
  readonly #format: HeldOpenFormat;
  /** Created when messages first wait for the client. */
  #guard: StallGuard<ServerResponse> | undefined = undefined;
  #membership: PoolMembership | undefined = undefined;
  /**
   * The socket to which chunks are written directly: Node writes each in three parts, and separately for each client.
   */
  #socket: Socket | undefined = undefined;
  /** The messages sent in this turn of the event loop. */
  #turn: Turn<Framed> | undefined = undefined;

  constructor(response: ServerResponse, format: HeldOpenFormat) {
    super();
    this.#response = response;
    this.#format = format;
  }

  get confirmsTogether(): boolean {
    return true;
  }

  /** Sends the head and accepts messages from then on. */
  begin(membership: PoolMembership): void {
    const response = this.#response;
    if (response.closed) {
      membership.leave();
      return;
    }
    this.#open();
    this.#membership = membership;
    this.#format.heartbeats?.begin(this);
    (this.#socket ?? response).on("drain", () => membership.ready());
    response.on("close", () => this.#leave());
    membership.ready();
  }

  /** Writes a heartbeat that is due. */
  onTimeout(): void {
    const { heartbeats, heartbeat, inRow, asChunk } = this.#format;
    heartbeats?.begin(this);
    const [response, socket] = [this.#response, this.#socket];
    if (heartbeat === undefined || response.destroyed || response.writableEnded) return;
    const connection = socket ?? response;
    if (!connection.writableNeedDrain)
      connection.write(joinItems({ first: heartbeat }, socket === undefined ? inRow : asChunk));
  }

  isReady(): boolean {
    // It was ready at the first message of this turn. If it disconnects before the end, it leaves with these messages.
    if (this.#turn !== undefined) return !this.#turn.isFull;
    const { destroyed, writableEnded, writableNeedDrain } = this.#response;
    if (this.#membership === undefined || destroyed || writableEnded || writableNeedDrain) return false;
    return this.#socket?.writableNeedDrain !== true;
  }

  send(message: Message, receipt: Receipt, id?: EncodedPositions): void {
    const framed = this.#format.framed(message, id);
    this.#turn = addToTurn(this.#turn, this, framed, framed.size, receipt);
  }

  /** Writes the messages of this turn; its end requests more. */
  flush(): void {
    const [turn, response] = [this.#turn, this.#response];
    this.#turn = undefined;
    if (turn === undefined || response.destroyed || response.writableEnded) return;
    const { inRow, asChunk } = this.#format;
    const socket = this.#socket;
    // A response without a socket of its own does not tell what the kernel has taken.
    if (socket === undefined) this.#guard ??= this.#createGuard();
    const bytes = joinItems(turn, socket === undefined ? inRow : asChunk);
    this.#guard = writeTurn(socket ?? response, turn, bytes, this.#guard, () => this.#createGuard());
  }

  end(): void {
    this.flush();
    this.#response.end();
  }

  #createGuard(): StallGuard<ServerResponse> {
    return new StallGuard(this.#format.writeWait, this.#response, destroyResponse);
  }

  #open(): void {
    const response = this.#response;
    const { headers, opening } = this.#format;
    // Set so that they can be read back: access logs and access rights recognise held-open responses by them.
    addToAnswer(response, headers);
    answerLast(response);
    response.writeHead(200);
    response.flushHeaders();
    response.socket?.setNoDelay(true);
    // HTTP/2 and HTTP/1.0 have no chunks.
    if (response.req.httpVersionMajor === 1 && response.chunkedEncoding) {
      this.#socket = response.socket ?? undefined;
    }
    if (opening !== "") response.write(opening);
  }

  #leave(): void {
    this.#format.heartbeats?.leave(this);
    this.#guard?.stop();
    this.#membership?.leave();
  }
}

/** Ends a connection that accepts nothing. */
export function destroyResponse(response: ServerResponse): void {
  response.destroy();
}

const lineFeed = 10;
const carriageReturn = 13;
/** A message of a held-open response: its content between texts of the format. */
class Framed {
  readonly start: string;
  readonly content: Uint8Array;
  readonly end: string;
  readonly id: EncodedPositions | undefined;
  /** The number of bytes. */
  readonly size: number;

  constructor(start: string, content: Uint8Array, end: string, id?: EncodedPositions) {
    this.start = start;
    this.content = content;
    this.end = end;
    this.id = id;
    const idLine = id === undefined ? 0 : idStart.length + id.length + 1;
    this.size = idLine + start.length + content.length + end.length;
  }
}

const idStart = "id: ";
const dataStart = "data: ";

/**
 * Returns one event of the WHATWG stream format: a `data:` line for each line of the message, then an empty line.
 * In this format CR, LF or both end a line, so the client cannot distinguish a CR from an LF.
 */
export function framedEvent(bytes: Uint8Array, id?: EncodedPositions): Framed {
  return new Framed(dataStart, isOneLine(bytes) ? bytes : asDataLines(bytes), "\n\n", id);
}

function isOneLine(bytes: Uint8Array): boolean {
  return !bytes.includes(lineFeed) && !bytes.includes(carriageReturn);
}

function asDataLines(bytes: Uint8Array): Buffer {
  // latin1 preserves every byte.
  const text = asBuffer(bytes).toString("latin1");
  return Buffer.from(text.split(/\r\n|\r|\n/).join(`\n${dataStart}`), "latin1");
}

/** Returns the message and a line break, for `raw_bytes`. */
function framedMessage(bytes: Uint8Array): Framed {
  return new Framed("", bytes, "\n");
}

/** Returns the bytes of messages, which are copied once; `isChunk`: as a chunk of an HTTP/1.1 body. */
export function joinFramed(items: readonly Framed[], isChunk: boolean): Buffer {
  const size = items.reduce((sum, item) => sum + item.size, 0);
  const head = isChunk ? `${size.toString(16)}\r\n` : "";
  const bytes = Buffer.allocUnsafe(head.length + size + (isChunk ? 2 : 0));
  let at = writeAscii(bytes, head, 0);
  let former: EncodedPositions | undefined;
  let formerAt = 0;
  for (const { start, content, end, id } of items) {
    if (id !== undefined) {
      const idAt = at;
      at = writeId(bytes, id, at, former, formerAt);
      former = id;
      formerAt = idAt;
    }
    at = writeAscii(bytes, start, at);
    bytes.set(content, at);
    at = writeAscii(bytes, end, at + content.length);
  }
  if (isChunk) writeAscii(bytes, "\r\n", at);
  return bytes;
}

/** Writes the line of an id. Most differ from the `former` one in a few digits, so that its line is copied. */
function writeId(
  bytes: Buffer,
  id: EncodedPositions,
  at: number,
  former: EncodedPositions | undefined,
  formerAt: number,
): number {
  const isSimilar = former?.before === id.before && former.after === id.after && former.length === id.length;
  if (!isSimilar) return at + bytes.write(`${idStart}${id}\n`, at, "latin1");
  const length = idStart.length + id.length + 1;
  bytes.copyWithin(at, formerAt, formerAt + length);
  writeAscii(bytes, id.last, at + idStart.length + id.before.length);
  return at + length;
}

/** Writes a short text faster than Node, which calls its native code. Returns where it ends. */
function writeAscii(bytes: Buffer, text: string, start: number): number {
  for (let index = 0; index < text.length; index += 1) bytes[start + index] = text.charCodeAt(index);
  return start + text.length;
}
