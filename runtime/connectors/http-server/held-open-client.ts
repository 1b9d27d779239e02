// A client of an output whose response is held open: an event stream, or messages one after the other.

import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { StallGuard } from "../../clients/stall-guard.ts";
import { asChunk, inRow, joinFrames, Turn } from "../../clients/turn.ts";
import type { Join, PoolClient, PoolMembership } from "../../component/message-gates.ts";
import { Limited, TimeLimits } from "../../concurrency/time-limits.ts";
import { answerLast, tellInAnswer } from "../../http/gateway-messages.ts";
import type { Message } from "../../message/message.ts";
import { asBuffer } from "../../text/utf8.ts";

/** What all clients of a route have in common. */
export interface HeldOpenFormat {
  readonly headers: Readonly<Record<string, string>>;
  /** Written before the first message. */
  readonly opening: string;
  /** How a message is written. */
  readonly frame: (message: Message, id?: string) => Buffer;
  /** Written when the time between two heartbeats is over; never where it has none. */
  readonly heartbeat: readonly Buffer[];
  readonly heartbeats: TimeLimits | undefined;
  /** Milliseconds after which a client that takes no bytes is dropped. */
  readonly writeWait: number;
}

/** Content type of an event stream (WHATWG HTML, section 9.2). */
export const eventType = "text/event-stream";

/** The format of a route; times in milliseconds. */
export function createHeldOpenFormat(
  format: "event_source" | "raw_bytes",
  { heartbeat, writeWait }: Pick<HeldOpenFormat, "writeWait"> & { readonly heartbeat: number },
): HeldOpenFormat {
  return format === "event_source"
    ? {
        headers: headersOf(eventType),
        // Browsers come back after this many milliseconds when the connection breaks.
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
    // Proxies collect nothing of what is held open.
    "x-accel-buffering": "no",
    "content-type": contentType,
    "cache-control": "no-cache, no-transform",
    "x-content-type-options": "nosniff",
  };
}

/** A broadcast gives one message to each of its clients in turn: its bytes are the same for all of them. */
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
 * Has `join` take the response in until the client leaves, and then sends the head. A silent client is never timed out, only
 * one that takes none of the bytes that wait for it. Where `join` gives a promise, this gives one, too: it resolves when the
 * head was sent, and rejects, with nothing sent, when the client cannot be taken in.
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

/** One object for each client: there may be thousands that are idle. */
class HeldOpenClient extends Limited implements PoolClient {
  readonly #response: ServerResponse;
  readonly #format: HeldOpenFormat;
  readonly #guard: StallGuard<ServerResponse>;
  #membership: PoolMembership | undefined = undefined;
  /** Where chunks are written past Node, which writes each in three parts, and again for each client. */
  #socket: Socket | undefined = undefined;
  /** Given in this turn of the event loop. */
  #turn: Turn | undefined = undefined;

  constructor(response: ServerResponse, format: HeldOpenFormat) {
    super();
    this.#response = response;
    this.#format = format;
    this.#guard = new StallGuard(format.writeWait, response, destroyResponse);
  }

  /** Sends the head and takes messages from then on. */
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

  /** A heartbeat is due. */
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

  send(message: Message, confirm: () => void, _giveBack: () => void, id?: string): void {
    this.#turn ??= new Turn(this);
    this.#turn.add(this.#format.frame(message, id), confirm);
  }

  /** Writes what was given in this turn; its end asks for more. */
  flush(): void {
    const [turn, response] = [this.#turn, this.#response];
    this.#turn = undefined;
    if (turn === undefined || response.destroyed || response.writableEnded) return;
    const done = (error?: Error | null) => {
      this.#guard.ended();
      if (error) response.destroy();
      else turn.confirm();
    };
    this.#guard.began();
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
    // They can be read back: access logs and rights tell by them that the response is held open.
    tellInAnswer(response, headers);
    answerLast(response);
    response.writeHead(200);
    response.flushHeaders();
    response.socket?.setNoDelay(true);
    // HTTP/2 has no chunks, and HTTP/1.0 knows none.
    if (response.req.httpVersionMajor === 1 && response.chunkedEncoding) {
      this.#socket = response.socket ?? undefined;
    }
    if (opening !== "") response.write(opening);
  }

  #leave(): void {
    this.#format.heartbeats?.leave(this);
    this.#guard.stop();
    this.#membership?.leave();
  }
}

/** Cuts a connection that takes nothing. */
export function destroyResponse(response: ServerResponse): void {
  response.destroy();
}

const dataField = /* @__PURE__ */ Buffer.from("data: ");
const eventEnd = /* @__PURE__ */ Buffer.from("\n\n");
const noBytes = /* @__PURE__ */ Buffer.alloc(0);
const lineFeed = 10;
const carriageReturn = 13;

/**
 * One event of the WHATWG stream format: a `data:` line for each line of the message, then an empty line.
 * The format ends lines at CR, LF or both, so the other end cannot distinguish a CR from an LF.
 */
export function eventFrame(bytes: Uint8Array, id?: string): Buffer {
  const head = id === undefined ? noBytes : Buffer.from(`id: ${id}\n`);
  if (!bytes.includes(lineFeed) && !bytes.includes(carriageReturn)) {
    return Buffer.concat([head, dataField, bytes, eventEnd]);
  }
  // latin1 keeps every byte as it is.
  const text = asBuffer(bytes).toString("latin1");
  const lines = text.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
  return Buffer.concat([head, Buffer.from(`${lines.join("")}\n`, "latin1")]);
}

/** The message and a line break, for `raw_bytes`. */
function rawFrame(bytes: Uint8Array): Buffer {
  return Buffer.concat([bytes, Buffer.of(lineFeed)]);
}
