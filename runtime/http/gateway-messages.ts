// Requests and responses of HTTP/1.1 that cost less than those of Node.js: bodies without streams, heads written once.

import {
  IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  ServerResponse,
  validateHeaderValue,
} from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { countPieces } from "../concurrency/allowance.ts";
import { asBuffer, noBytes } from "../text/utf8.ts";

/** Receives a body while the parser reads it. */
export interface BodySink {
  add(chunk: Buffer): void;
  end(): void;
  /** Called if the connection is lost before the end of the body. */
  breakOff(): void;
}

/**
 * Bytes to read of a body after the response, so that clients that send everything before they read get the response.
 */
const mostRest = 16 * 1024 * 1024;

/**
 * Passes its body to a sink without a stream: a stream queues each piece and the end for later turns of the event loop,
 * which costs as much as all steps of the chain.
 */
export class GatewayRequest extends IncomingMessage {
  #sink: BodySink | undefined = undefined;
  #isDiverted = false;
  /** What arrived before the body was read; a `null` ends it. */
  #early: (Buffer | null)[] | undefined = undefined;
  #earlyBytes = 0;
  #isStream = false;
  /** Bytes by which the chunks fall short of their minimum content; `undefined` once they fell too short. */
  #short: number | undefined = 0;
  /** Bytes that may still be read of the body before the connection is destroyed; finite once the response is complete. */
  left = Number.POSITIVE_INFINITY;

  static {
    // Node's parser would discard the rest of an unread body without counting its chunks.
    Object.defineProperty(GatewayRequest.prototype, "_dump", {
      value(this: GatewayRequest) {
        this.removeAllListeners("data");
        this.resume();
      },
    });
    // Node.js releases a request whose response is complete only once its body was read.
    Object.defineProperty(GatewayRequest.prototype, "readableEnded", {
      get(this: GatewayRequest) {
        return this.#isDiverted
          ? this.complete
          : Reflect.get(IncomingMessage.prototype, "readableEnded", this);
      },
    });
  }

  /** Passes the body to `sink`; returns false if the stream was used already, or the client expects `100 Continue`. */
  divert(sink: BodySink): boolean {
    const isUntouched = this.readableFlowing === null && this.readableLength === 0 && !this.destroyed;
    const early = this.#early;
    const isWhole = early?.at(-1) === null;
    if (!isUntouched || this.complete !== isWhole || this.headers.expect !== undefined) return false;
    this.#early = undefined;
    if (!isWhole) this.#sink = sink;
    this.#isDiverted = true;
    // Begins reading; without it, Node.js discards the body once the response ends.
    this._read(0);
    for (const chunk of early ?? []) if (chunk !== null) sink.add(chunk);
    if (isWhole) sink.end();
    return true;
  }

  /** Called whenever the body is read as a stream. */
  override read(size?: number): unknown {
    const early = this.#early;
    this.#early = undefined;
    this.#isStream = true;
    for (const chunk of early ?? []) super.push(chunk);
    return super.read(size);
  }

  /** Keeps what arrives while a step such as authentication waits, so that the body need not become a stream. */
  #keep(chunk: Buffer | null): boolean {
    this.#early ??= [];
    this.#early.push(chunk);
    this.#earlyBytes += chunk?.length ?? 0;
    return this.#earlyBytes < this.readableHighWaterMark;
  }

  /** Called once if the body comes in chunks that are too small. */
  protected refuse(): void {
    this.destroy();
  }

  override push(chunk: unknown, encoding?: BufferEncoding): boolean {
    if (chunk instanceof Buffer && this.#short !== undefined) {
      this.#short = countPieces(this.socket, this.#short, 1, chunk.length);
      this.left -= chunk.length;
      if (this.#short === undefined) this.refuse();
      else if (this.left < 0) this.socket.destroy();
    }
    // This was the last request of the connection: a later one in the same piece could not be answered.
    if (chunk === null && Number.isFinite(this.left) && this.socket.writableEnded) this.socket.destroy();
    const sink = this.#sink;
    if (sink === undefined) {
      const isKept = this.#early !== undefined || (this.readableFlowing === null && !this.#isStream);
      if (isKept && (chunk === null || chunk instanceof Buffer)) return this.#keep(chunk);
      return super.push(chunk, encoding);
    }
    if (chunk instanceof Buffer) sink.add(chunk);
    else {
      this.#sink = undefined;
      sink.end();
    }
    return true;
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    const sink = this.#sink;
    this.#sink = undefined;
    super._destroy(error, (other) => {
      callback(other);
      sink?.breakOff();
    });
  }
}

/** Reads the rest of a request's body and discards it: an unread body would block the connection. */
export function discardBody(request: IncomingMessage): void {
  if (!(request instanceof GatewayRequest && request.divert(nowhere))) request.resume();
}

const nowhere: BodySink = { add() {}, end() {}, breakOff() {} };

type Fields = Readonly<Record<string, string>>;

const isFollowed: unique symbol = /* @__PURE__ */ Symbol("isFollowed");

/** A connection that responses are written to. */
interface AnsweringSocket extends Socket {
  /** The response that is being written; a property of Node.js that its types leave out. */
  _httpMessage?: ServerResponse | null;
  /** Whether Node.js listens for its end on behalf of the current response. */
  [isFollowed]?: true;
}

type AnsweredRequest = IncomingMessage & Partial<Pick<GatewayRequest, "left">>;

/** A response that reports its end without a listener, which costs more than the head of a short response. */
export interface CompletingResponse {
  /** Called when the response is complete, before its connection is released. One function serves all responses. */
  onComplete: ((response: ServerResponse, socket: Socket) => void) | undefined;
}

/**
 * Collects the headers of the chain until the head is written, and then writes everything together: if they were set
 * one by one, Node.js would check and copy all of them again, which costs as much as the rest of a response.
 */
export class GatewayResponse<R extends AnsweredRequest = AnsweredRequest>
  extends ServerResponse<R>
  implements CompletingResponse
{
  // Properties of Node.js that its types leave out.
  declare _header: string | null;
  declare _last: boolean;
  declare readonly _expect_continue: boolean | undefined;
  declare readonly _keepAliveTimeout: number;
  declare _flush: () => void;
  /** Node's types have it read-only. */
  declare socket: Socket | null;
  /** The headers that `addFields` added. */
  added: Fields | undefined = undefined;
  onComplete: CompletingResponse["onComplete"] = undefined;

  /** Adds headers with names in lower case; `writeHead` may override them. */
  addFields(fields: Fields): void {
    this.added = this.added === undefined ? fields : { ...this.added, ...fields };
  }

  /** Includes the headers that `addFields` added. */
  override getHeader(name: string): number | string | string[] | undefined {
    return super.getHeader(name) ?? this.added?.[name.toLowerCase()];
  }

  /**
   * Called by Node.js before the response is written. Its listener for the end of the connection looks at the current
   * response, so one serves all responses of a connection: adding and removing it for each costs as much as the head.
   */
  override assignSocket(socket: AnsweringSocket): void {
    if (socket[isFollowed] !== true || socket._httpMessage) {
      super.assignSocket(socket);
      socket[isFollowed] = true;
      return;
    }
    socket._httpMessage = this;
    this.socket = socket;
    this.emit("socket", socket);
    this._flush();
  }

  /** Called by Node.js when the response is complete. Leaves the listener to the next response. */
  override detachSocket(socket: AnsweringSocket): void {
    socket._httpMessage = null;
    this.socket = null;
    this.req.left = mostRest;
    if (this._last && !this.req.complete) {
      // Node.js would destroy the connection, and the system would reset it, as the rest of the body is unread: the client
      // could lose the response (RFC 9112, section 9.6).
      this._last = false;
      socket.end();
    }
    this.onComplete?.(this, socket);
  }

  override writeHead(
    status: number,
    reason?: string | OutgoingHttpHeaders | OutgoingHttpHeader[],
    headers?: OutgoingHttpHeaders | OutgoingHttpHeader[],
  ): this {
    const added = this.added;
    if (added === undefined || typeof reason === "string" || Array.isArray(reason)) {
      for (const name in added) this.setHeader(name, added[name] ?? "");
      return typeof reason === "string"
        ? super.writeHead(status, reason, headers)
        : super.writeHead(status, reason);
    }
    return super.writeHead(status, { ...added, ...reason });
  }
}

const emptyFields = { "content-length": "0", "x-content-type-options": "nosniff" };

const statusLine = "HTTP/1.1 200 OK\r\n";

/** What Node.js adds to the fields of a response; valid until the second ends, as `Date` then changes. */
interface HeadEnd {
  readonly keepAlive: number;
  readonly text: string;
}

let headEnd: HeadEnd | undefined;

function forgetHeadEnd(): void {
  headEnd = undefined;
}

/** Responds with 200 and without a body. */
export function answerEmpty(response: ServerResponse): void {
  writeFullHead(response, emptyFields, emptyText);
  response.end();
}

/**
 * Like `response.writeHead(200, fields)`. Repeats what Node.js added to the fields of an earlier response if it would add the
 * same to these: to let it write a head costs more than the steps of the chain. `fields` have names in lower case, with the
 * `content-length`, and without fields of the connection. `text`: what they are printed as, if that is known.
 */
export function writeFullHead(response: ServerResponse, fields: Fields, text?: string): void {
  if (!(response instanceof GatewayResponse && isUsual(response, fields))) {
    response.writeHead(200, fields);
    return;
  }
  const { added, _keepAliveTimeout: keepAlive } = response;
  const start = statusLine + printFields(added) + (text ?? printFields(fields));
  if (headEnd?.keepAlive === keepAlive) {
    response.statusCode = 200;
    response.statusMessage = "OK";
    response._header = start + headEnd.text;
    return;
  }
  response.writeHead(200, fields);
  const end = response._header?.slice(start.length) ?? "";
  const now = new Date();
  // Node.js renews `Date` by a timer of its own, which may be late.
  if (!end.includes(now.toUTCString())) return;
  // Reading the clock for each response costs nearly 1% of it.
  if (headEnd === undefined) setTimeout(forgetHeadEnd, 1000 - now.getMilliseconds()).unref();
  headEnd = { keepAlive, text: end };
}

/** Whether the head of a response depends on nothing but its fields and the time. */
function isUsual(response: GatewayResponse, fields: Fields): boolean {
  const { shouldKeepAlive, _expect_continue: expects, _header: head, added } = response;
  if (!shouldKeepAlive || expects === true || head !== null || response.getHeaderNames().length > 0)
    return false;
  // An added field is replaced by one of the same name.
  if (added !== undefined) for (const name in fields) if (Object.hasOwn(added, name)) return false;
  return true;
}

function printFields(fields: Fields | undefined): string {
  let text = "";
  for (const name in fields) {
    const value = fields[name] ?? "";
    validateHeaderValue(name, value);
    text += `${name}: ${value}\r\n`;
  }
  return text;
}

const emptyText = /* @__PURE__ */ printFields(emptyFields);

/**
 * To be called before the head of a long response is written: makes it the last response of its connection. The
 * client then need not send anything more (RFC 9112, section 9.6), so the parser is freed: it takes as much memory as
 * everything else of a waiting client.
 */
export function answerLast(response: ServerResponse): void {
  if (response.req.httpVersionMajor !== 1) return;
  response.shouldKeepAlive = false;
  // The parser may be the caller.
  setImmediate(freeParser, response);
}

/** Makes Node.js free the parser, as it does for an upgrade. Does nothing if the client has sent more already. */
function freeParser({ req, socket }: ServerResponse): void {
  // Without a socket, the response waits for its turn or is complete.
  if (socket === null || socket.destroyed) return;
  const parser: unknown = Reflect.get(socket, "parser");
  // An upgrade has followed the request already. Nothing reads its connection any more, so its end would not be noticed.
  if (parser === null) socket.destroy();
  if (socket.isPaused() || !req.complete) return;
  if (typeof parser !== "object" || parser === null || Reflect.get(parser, "incoming") !== req) return;
  Reflect.set(req, "upgrade", true);
  socket.emit("data", noBytes);
  // Replaces the listeners that Node.js and the gateway had for the connection until now.
  socket.on("timeout", destroyStuck);
  socket.on("error", destroyThis);
  socket.on("end", endThis);
  // Reading continues: otherwise the end of the connection would not be noticed.
  socket.on("data", destroyThis);
}

// Thousands of such connections may exist: they share the same listeners.
function destroyStuck(this: Socket): void {
  if (this.writableLength > 0) this.destroy();
}

/** A listener that destroys its socket. One function serves all sockets. */
export function destroyThis(this: Duplex): void {
  this.destroy();
}

function endThis(this: Socket): void {
  this.end();
}

/** Adds headers to a response that has not begun; their names are in lower case. */
export function addToAnswer(response: ServerResponse, fields: Fields): void {
  if (response instanceof GatewayResponse) response.addFields(fields);
  else for (const [name, value] of Object.entries(fields)) response.setHeader(name, value);
}

/** Bytes of a body that are copied to be written together with the head. */
const shortBody = 4096;

/** Like `response.end`, but sends a short body together with the head. */
export function endWithHead(response: ServerResponse, bytes: Uint8Array): void {
  if (writeShort(response, bytes) === undefined) response.end(bytes);
  else response.end();
}

type Written = (error: Error | null | undefined) => void;

/** A response as Node.js has it; its types leave these properties out. */
interface NodeResponse {
  readonly _hasBody: boolean;
  /** Writes a piece, after the head if that is not sent yet. */
  _send(text: string, encoding: "latin1", written?: Written): boolean;
}

/**
 * Like `response.write` before the head is sent, for a short body: sends it with the head, where Node.js writes 3 pieces.
 * Returns the connection that it was written to; does nothing if the body is empty or long, or the response has to wait.
 */
export function writeShort(
  response: ServerResponse,
  bytes: Uint8Array,
  written?: Written,
): Socket | undefined {
  const { socket, chunkedEncoding, destroyed } = response;
  if (bytes.byteLength === 0 || bytes.byteLength > shortBody || chunkedEncoding || destroyed)
    return undefined;
  // Responses of HTTP/2 have no socket, and neither have responses that wait for their turn.
  if (!socket || socket.writableCorked > 0) return undefined;
  const own = response as unknown as NodeResponse; // a response with a socket is one of HTTP/1.1
  if (!own._hasBody) return undefined;
  // `write` would hold the data back until the end of the turn of the event loop, or of the response.
  own._send(asBuffer(bytes).toString("latin1"), "latin1", written);
  return socket;
}
