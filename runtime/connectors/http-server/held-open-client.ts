// A client of an output whose response stays open: an event stream, or messages one after the other.

import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { StallGuard } from "../../clients/stall-guard.ts";
import { asChunk, inRow, joinFrames, Turn } from "../../clients/turn.ts";
import type { Join, PoolClient, PoolMembership, Receipt } from "../../component/message-gates.ts";
import { Limited, TimeLimits } from "../../concurrency/time-limits.ts";
import { answerLast, tellInAnswer } from "../../http/gateway-messages.ts";
import type { Message } from "../../message/message.ts";
import { asBuffer } from "../../text/utf8.ts";

/** The format that all clients of a route share. */
export interface HeldOpenFormat {
  readonly headers: Readonly<Record<string, string>>;
  /** Written before the first message. */
  readonly opening: string;
  /** Returns the bytes of a message. */
  readonly frame: (message: Message, id?: string) => Buffer;
  /** Written whenever a heartbeat is due; empty if the format has no heartbeats. */
  readonly heartbeat: readonly Buffer[];
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
  return format === "event_source"
    ? {
        headers: headersOf(eventType),
        // Browsers reconnect after this many milliseconds when the connection breaks.
        opening: "retry: 2000\n\n",
        frame: framedOnce(eventFrame),
        heartbeat: [Buffer.from(": heartbeat\n\n")],
        heartbeats: heartbeat > 0 ? TimeLimits.endingBy(heartbeat) : undefined,
        writeWait,
      }
    : {
        headers: headersOf("application/octet-stream"),
        opening: "",
        frame: framedOnce(rawFrame),
        heartbeat: [],
        heartbeats: undefined,
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

/** Frames each message once: a broadcast sends the same bytes to all of its clients in turn. */
function framedOnce(frame: (bytes: Uint8Array, id?: string) => Buffer): HeldOpenFormat["frame"] {
  let last:
    | { readonly message: Message; readonly id: string | undefined; readonly bytes: Buffer }
    | undefined;
  return (message, id) => {
    if (last === undefined || last.message !== message || last.id !== id) {
      last = { message, id, bytes: frame(message.bytes(), id) };
    }
    return last.bytes;
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
  /** Created at the first write of messages. */
  #guard: StallGuard<ServerResponse> | undefined = undefined;
  #membership: PoolMembership | undefined = undefined;
  /**
   * The socket to which chunks are written directly: Node writes each in three parts, and separately for each client.
   */
  #socket: Socket | undefined = undefined;
  /** The messages sent in this turn of the event loop. */
  #turn: Turn | undefined = undefined;

  constructor(response: ServerResponse, format: HeldOpenFormat) {
    super();
    this.#response = response;
    this.#format = format;
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
    const { heartbeats, heartbeat } = this.#format;
    heartbeats?.begin(this);
    if (!(this.#socket ?? this.#response).writableNeedDrain) this.#write(heartbeat);
  }

  isReady(): boolean {
    const { destroyed, writableEnded, writableNeedDrain } = this.#response;
    if (this.#membership === undefined || destroyed || writableEnded || writableNeedDrain) return false;
    return this.#socket?.writableNeedDrain !== true && this.#turn?.isFull !== true;
  }

  send(message: Message, receipt: Receipt, id?: string): void {
    this.#turn ??= new Turn(this);
    this.#turn.add(this.#format.frame(message, id), receipt);
  }

  /** Writes the messages of this turn; its end requests more. */
  flush(): void {
    const [turn, response] = [this.#turn, this.#response];
    this.#turn = undefined;
    if (turn === undefined || response.destroyed || response.writableEnded) return;
    this.#guard ??= new StallGuard(this.#format.writeWait, response, destroyResponse);
    const guard = this.#guard;
    const done = (error?: Error | null) => {
      guard.ended();
      if (error) response.destroy();
      else turn.confirm();
    };
    guard.began();
    this.#write(turn.frames, done);
  }

  end(): void {
    this.flush();
    this.#response.end();
  }

  #write(frames: readonly Buffer[], done?: (error?: Error | null) => void): void {
    const [response, socket] = [this.#response, this.#socket];
    if (response.destroyed || response.writableEnded) return;
    if (socket === undefined) response.write(joinFrames(frames, inRow), done);
    else socket.write(joinFrames(frames, asChunk), done);
  }

  #open(): void {
    const response = this.#response;
    const { headers, opening } = this.#format;
    // Set so that they can be read back: access logs and access rights recognise held-open responses by them.
    tellInAnswer(response, headers);
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

/**
 * Returns one event of the WHATWG stream format: a `data:` line for each line of the message, then an empty line.
 * In this format CR, LF or both end a line, so the client cannot distinguish a CR from an LF.
 */
export function eventFrame(bytes: Uint8Array, id?: string): Buffer {
  const head = id === undefined ? "" : `id: ${id}\n`;
  if (!bytes.includes(lineFeed) && !bytes.includes(carriageReturn)) {
    const start = `${head}data: `;
    const frame = Buffer.allocUnsafe(start.length + bytes.length + 2);
    frame.write(start, "latin1");
    frame.set(bytes, start.length);
    frame[frame.length - 2] = lineFeed;
    frame[frame.length - 1] = lineFeed;
    return frame;
  }
  // latin1 preserves every byte.
  const text = asBuffer(bytes).toString("latin1");
  const lines = text.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
  return Buffer.from(`${head}${lines.join("")}\n`, "latin1");
}

/** Returns the message and a line break, for `raw_bytes`. */
function rawFrame(bytes: Uint8Array): Buffer {
  return Buffer.concat([bytes, Buffer.of(lineFeed)]);
}
