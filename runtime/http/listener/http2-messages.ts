// Requests and responses of HTTP/2 (RFC 9113, section 8) in the form of those of HTTP/1.1, for the rest of the gateway.

import { EventEmitter } from "node:events";
import type { OutgoingHttpHeader, OutgoingHttpHeaders, ServerResponse } from "node:http";
import {
  constants,
  type IncomingHttpHeaders as Http2Headers,
  type Http2Session,
  type ServerHttp2Stream,
  type ServerStreamResponseOptions,
} from "node:http2";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import type { Limited, TimeLimits } from "../../concurrency/time-limits.ts";
import { answerError, lateRequest } from "../answer.ts";
import { type CompletingResponse, GatewayRequest } from "../gateway-messages.ts";
import { append, Fields, joinPairs, put, readHead } from "./http2-fields.ts";

/** What the requests of a connection share. */
export interface Http2Connection {
  readonly socket: Socket;
  /** The limits of bodies, which last `bodyTime` milliseconds. */
  readonly bodies: TimeLimits;
  readonly bodyTime: number;
  /** Bytes of all requests so far, heads and bodies. */
  received: number;
  /** Called for each stream that the client opens. */
  begin(stream: ServerHttp2Stream): void;
  /** Called when a stream is closed. */
  end(stream: ServerHttp2Stream): void;
}

const connectionOf: unique symbol = /* @__PURE__ */ Symbol("connectionOf");

interface ConnectedSession extends Http2Session {
  [connectionOf]?: Http2Connection;
}

/** Sets the connection of a session, before its first request. */
export function setConnection(session: ConnectedSession, connection: Http2Connection): void {
  session[connectionOf] = connection;
}

const requestOf: unique symbol = /* @__PURE__ */ Symbol("requestOf");
const responseOf: unique symbol = /* @__PURE__ */ Symbol("responseOf");

/** A stream with its request and its response. Its listeners are the same functions for all streams. */
interface ServedStream extends ServerHttp2Stream {
  [requestOf]?: Http2Request | undefined;
  [responseOf]?: Http2Response | undefined;
}

/**
 * A request without pseudo-headers: its authority becomes the header `Host`, and a body of unknown length gets
 * `Transfer-Encoding`, as in HTTP/2 only frames tell that it exists. Repeated headers are joined. A `Host` that
 * contradicts the authority is joined with it, so that the result is not a valid host. A body that is cut off fails.
 */
export class Http2Request extends GatewayRequest implements Limited {
  readonly stream: ServerHttp2Stream;
  /** Bytes of the head. */
  readonly headSize: number;
  nextLimited: Limited | undefined = undefined;
  previousLimited: Limited | undefined = undefined;
  beganAt = 0;
  /** Absent if the stream was closed before its request was handled. */
  readonly #connection: Http2Connection | undefined;
  #isRead = false;

  constructor(stream: ServedStream, headers: Http2Headers, _options: unknown, rawHeaders: readonly string[]) {
    const connection = (stream.session as ConnectedSession | undefined)?.[connectionOf];
    // Node.js accepts a request without a socket, contrary to its types.
    super(connection?.socket as Socket);
    this.stream = stream;
    this.httpVersion = "2.0";
    this.httpVersionMajor = 2;
    this.httpVersionMinor = 0;
    this.method = headers[":method"];
    this.url = headers[":path"];
    const { fields, raw, size } = readHead(stream, headers, rawHeaders);
    this.headers = fields;
    this.rawHeaders = raw;
    this.headSize = size;
    stream[requestOf] = this;
    this.#connection = connection;
    if (connection === undefined) return;
    connection.received += this.headSize;
    connection.begin(stream);
    if (stream.endAfterHeaders) return;
    connection.bodies.begin(this);
    // What came before the request is in the stream, and has to be read from there.
    const isPassedOn = stream.readableLength === 0;
    if (isPassedOn) stream.push = takePiece;
    // They may come before the body is read. Nothing else of them is passed on than what the head announces.
    if (fields.trailer !== undefined) stream.on("trailers", takeTrailers);
    // Trailers follow the end of the data.
    if (!isPassedOn || fields.trailer !== undefined) stream.on("end", endBody);
  }

  /** Whether a part of the body has not arrived. */
  get isUnread(): boolean {
    return !this.complete && !this.stream.endAfterHeaders;
  }

  override _read(): void {
    const stream: ServedStream = this.stream;
    if (stream.endAfterHeaders) this.endBody();
    else if (stream.push === takePiece) stream._read(0);
    else if (this.#isRead) stream.resume();
    else {
      this.#isRead = true;
      stream.on("data", takeData);
    }
  }

  /** Called for each part of the body. Returns whether more may follow. */
  addToBody(chunk: Buffer): boolean {
    if (this.#connection !== undefined) this.#connection.received += chunk.length;
    return this.push(chunk);
  }

  /** Called at the end of a whole body. */
  endBody(): void {
    if (this.complete) return;
    this.complete = true;
    this.#connection?.bodies.leave(this);
    this.push(null);
  }

  /** Responds to a request whose body took too long. */
  onTimeout(): void {
    const { stream }: { readonly stream: ServedStream } = this;
    const { bodyTime = 0 } = this.#connection ?? {};
    if (stream[responseOf] !== undefined)
      answerError(stream[responseOf].asServerResponse(), lateRequest(bodyTime));
    stream.close(constants.NGHTTP2_NO_ERROR);
  }

  /** Called when the stream is closed. */
  leave(): void {
    const connection = this.#connection;
    connection?.end(this.stream);
    if (!this.isUnread) return;
    connection?.bodies.leave(this);
    this.destroy(this.listenerCount("error") > 0 ? new Error("the request was cut off") : undefined);
  }

  protected override refuse(): void {
    this.stream.session?.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM);
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    const { socket } = this;
    // Node.js would destroy the connection with an incomplete request, but other requests share it.
    Reflect.set(this, "socket", undefined);
    super._destroy(error, callback);
    this.socket = socket;
  }
}

/**
 * Stands in for `push` of a stream: its own queues each part of the body for a later turn of the event loop, which the
 * request does where that is needed.
 */
function takePiece(this: ServedStream, chunk: Buffer | null): boolean {
  const request = this[requestOf];
  if (chunk !== null && request !== undefined) return request.addToBody(chunk);
  const isOpen = Readable.prototype.push.call(this, chunk);
  // Nothing else reads the stream: without this, it would not end where trailers end the body.
  this.read(0);
  if (chunk === null && request?.headers.trailer === undefined) endBody.call(this);
  return isOpen;
}

function takeData(this: ServedStream, chunk: Buffer): void {
  if (this[requestOf]?.addToBody(chunk) === false) this.pause();
}

/** A client that finished its body leaves the stream open; a client that resets the stream closes it. */
function endBody(this: ServedStream): void {
  if (!this.closed) this[requestOf]?.endBody();
}

function takeTrailers(this: ServedStream, trailers: Http2Headers): void {
  const request = this[requestOf];
  if (request !== undefined) request.trailers = Object.assign({}, trailers as NodeJS.Dict<string>);
}

type Chunk = string | Uint8Array;
type Written = (error?: Error | null) => void;
type Ended = () => void;

/** How a response is sent: without a body, with its whole body, or in parts. */
const whole: ServerStreamResponseOptions = { endStream: true };
const atOnce: ServerStreamResponseOptions = {};
/** Without waiting for trailers, Node.js would mark the last part of a response that breaks off as its end. */
const inParts: ServerStreamResponseOptions = { waitForTrailers: true };

/**
 * A response with the members of `ServerResponse` that the gateway uses. As with HTTP/1.1, the head is sent with the first
 * part of the body, or with the end: a response without a body is one frame.
 */
export class Http2Response implements CompletingResponse {
  static {
    // Without its constructor, which makes a table of listeners: most responses have none.
    Object.setPrototypeOf(Http2Response.prototype, EventEmitter.prototype);
  }

  declare readonly emit: EventEmitter["emit"];
  declare readonly once: EventEmitter["once"];
  readonly req: Http2Request;
  onComplete: CompletingResponse["onComplete"] = undefined;
  /** Streams do not wait for each other, unlike responses of HTTP/1.1, which get a socket when it is their turn. */
  readonly socket = undefined;
  statusCode = 200;
  /** Whether the head was written; it may not have been sent. */
  headersSent = false;
  writableEnded = false;
  readonly #stream: ServedStream;
  readonly #headers: OutgoingHttpHeaders = new Fields();
  #trailers: OutgoingHttpHeaders | undefined = undefined;
  #isSent = false;
  #mayTrail = false;

  constructor(stream: ServedStream) {
    const request = stream[requestOf];
    if (request === undefined) throw new TypeError("a response follows a request");
    this.req = request;
    this.#stream = stream;
    stream[responseOf] = this;
    stream.on("error", ignore);
    stream.on("close", close);
  }

  /** Returns itself as the type that the rest of the gateway knows. */
  asServerResponse(): ServerResponse {
    return this as unknown as ServerResponse;
  }

  get destroyed(): boolean {
    return this.#stream.destroyed || this.#stream.closed;
  }

  get closed(): boolean {
    return this.#stream.closed;
  }

  get writableLength(): number {
    return this.#stream.writableLength;
  }

  get writableNeedDrain(): boolean {
    return this.#stream.writableNeedDrain;
  }

  getHeader(name: string): OutgoingHttpHeader | undefined {
    return this.#headers[name.toLowerCase()];
  }

  setHeader(name: string, value: number | string | readonly string[]): this {
    if (this.headersSent) throw new Error("the head was written already");
    put(this.#headers, name, value);
    return this;
  }

  appendHeader(name: string, value: string | readonly string[]): this {
    if (this.headersSent) throw new Error("the head was written already");
    append(this.#headers, name, value);
    return this;
  }

  /** Ignores a status message, which HTTP/2 has not. The last argument: an object, or a flat list of names and values. */
  writeHead(status: number, ...rest: readonly unknown[]): this {
    if (this.destroyed) return this;
    if (this.headersSent) throw new Error("the head was written already");
    const given = rest.at(-1);
    if (Array.isArray(given)) Object.assign(this.#headers, joinPairs(given));
    else if (typeof given === "object")
      for (const name in given) put(this.#headers, name, Reflect.get(given, name));
    this.statusCode = status;
    this.headersSent = true;
    return this;
  }

  flushHeaders(): void {
    if (!this.headersSent) this.writeHead(this.statusCode);
    this.#send(inParts);
  }

  /** Trailers need a body of unknown length, as with HTTP/1.1. */
  addTrailers(trailers: readonly (readonly [string, string])[]): void {
    this.#trailers ??= new Fields();
    for (const [name, value] of trailers) put(this.#trailers, name, value);
  }

  sendTrailers(): void {
    this.#stream.sendTrailers(this.#trailers ?? {});
    // Node.js sends them in the same phase of the event loop.
    if (this.req.isUnread) setImmediate(() => closeUnread.call(this.#stream));
  }

  writeContinue(): void {
    this.#inform({ ":status": 100 });
  }

  writeEarlyHints({ link }: { readonly link: readonly string[] }): void {
    this.#inform({ ":status": 103, link: link.join(", ") });
  }

  write(chunk: Chunk, encoding?: BufferEncoding | Written, callback?: Written): boolean {
    const written = typeof encoding === "function" ? encoding : callback;
    if (this.writableEnded || this.destroyed) {
      if (written !== undefined) process.nextTick(written, new Error("the response has ended"));
      return false;
    }
    this.flushHeaders();
    if (this.#hasBody) return this.#stream.write(chunk, encodingOf(encoding), written);
    if (written !== undefined) process.nextTick(written);
    return true;
  }

  end(last?: Chunk | Ended | null, encoding?: BufferEncoding | Ended, callback?: Ended): this {
    const stream = this.#stream;
    const ended = typeof last === "function" ? last : typeof encoding === "function" ? encoding : callback;
    const chunk = typeof last === "function" || last?.length === 0 ? undefined : last;
    if (this.writableEnded || this.destroyed) {
      if (ended !== undefined) process.nextTick(ended);
      return this;
    }
    if (!this.headersSent) this.writeHead(this.statusCode);
    this.writableEnded = true;
    if (ended !== undefined) {
      // Node.js ends the stream of HEAD before its response.
      if (stream.writableEnded) this.once("close", ended);
      else stream.once("finish", ended);
    }
    const hasChunk = chunk !== undefined && chunk !== null && this.#hasBody;
    // Ends the stream, too, if nothing follows the head.
    this.#send(this.#trailers !== undefined ? inParts : hasChunk ? atOnce : whole);
    if (!this.#mayTrail && this.req.isUnread) {
      // The head of a response without a body may have ended the stream before.
      if (stream.writableFinished) closeUnread.call(stream);
      else stream.once("finish", closeUnread);
    }
    if (hasChunk) stream.end(chunk, encodingOf(encoding));
    else if (!stream.writableEnded) stream.end();
    return this;
  }

  /** Resets the stream, so that the client does not take a partial response for a complete one. */
  destroy(): this {
    this.#stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    return this;
  }

  get #hasBody(): boolean {
    return this.req.method !== "HEAD" && !withoutBody.has(this.statusCode);
  }

  /** Sends the head, unless it was sent. */
  #send(options: ServerStreamResponseOptions): void {
    if (this.#isSent || this.destroyed) return;
    this.#isSent = true;
    const headers = this.#headers;
    headers[":status"] = this.statusCode;
    const hasBody = this.#hasBody;
    // For HEAD and 304 it is the length of another response; with the others, clients take it for an error.
    if (!hasBody && this.req.method !== "HEAD" && this.statusCode !== 304) delete headers["content-length"];
    const used = hasBody ? options : whole;
    this.#mayTrail = used === inParts;
    if (this.#mayTrail) this.#stream.on("drain", emitDrain).on("wantTrailers", sendTrailers);
    this.#stream.respond(headers, used);
  }

  #inform(headers: OutgoingHttpHeaders): void {
    if (!this.headersSent && !this.destroyed) this.#stream.additionalHeaders(headers);
  }
}

function encodingOf(given: BufferEncoding | Ended | undefined): BufferEncoding {
  return typeof given === "string" ? given : "utf8";
}

function ignore(): void {
  // The streams of a connection that breaks off report it; `close` follows.
}

function emitDrain(this: ServedStream): void {
  this[responseOf]?.emit("drain");
}

function sendTrailers(this: ServedStream): void {
  this[responseOf]?.sendTrailers();
}

/** The rest of a body is not read after the response (RFC 9113, section 8.1). */
function closeUnread(this: ServedStream): void {
  if (this[requestOf]?.isUnread === true) this.close(constants.NGHTTP2_NO_ERROR);
}

/**
 * A closed stream releases its request and response: maps of Node.js that have outgrown their tables keep some streams
 * until the whole heap is collected (`../../concurrency/transient.ts`).
 */
function close(this: ServedStream): void {
  const { [requestOf]: request, [responseOf]: response } = this;
  this[requestOf] = undefined;
  this[responseOf] = undefined;
  request?.leave();
  response?.onComplete?.(response.asServerResponse(), response.req.socket);
  response?.emit("close");
}

/** Statuses of responses without a body: Node.js sends none with them. */
const withoutBody = /* @__PURE__ */ new Set([204, 205, 304]);
