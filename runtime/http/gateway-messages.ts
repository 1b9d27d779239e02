// Requests and responses of HTTP/1.1 that cost less than Node's own: bodies that pass no stream, heads that are written once.

import {
  IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  ServerResponse,
} from "node:http";
import type { Socket } from "node:net";
import { countPieces } from "../concurrency/allowance.ts";
import { asBuffer } from "../text/utf8.ts";

/** Takes a body as the parser finds it. */
export interface BodySink {
  add(chunk: Buffer): void;
  end(): void;
  /** The connection was lost before the end. */
  breakOff(): void;
}

/** Bytes that are still read of a body whose answer is over, so that clients that write all before they read see the answer. */
const mostRest = 16 * 1024 * 1024;

/**
 * Hands its body to a sink without a stream between: a stream queues each piece and the end for later turns of the event
 * loop, which costs as much as all steps of the chain.
 */
export class GatewayRequest extends IncomingMessage {
  #sink: BodySink | undefined = undefined;
  #isDiverted = false;
  /** Bytes by which its chunks fall short of what they have to carry. */
  #short: number | undefined = 0;
  /** Bytes that are still read of the body, after which its connection closes. */
  left = Number.POSITIVE_INFINITY;

  static {
    // Node's parser would drop the rest of an unread body itself, and its chunks would not be counted.
    Object.defineProperty(GatewayRequest.prototype, "_dump", {
      value(this: GatewayRequest) {
        this.removeAllListeners("data");
        this.resume();
      },
    });
    // Node forgets a request whose answer is over once its body was read.
    Object.defineProperty(GatewayRequest.prototype, "readableEnded", {
      get(this: GatewayRequest) {
        return this.#isDiverted
          ? this.complete
          : Reflect.get(IncomingMessage.prototype, "readableEnded", this);
      },
    });
  }

  /** Whether `sink` gets the body from now on: not where the stream has some of it, is read, or its client waits to be asked for it. */
  divert(sink: BodySink): boolean {
    const isUntouched = this.readableFlowing === null && this.readableLength === 0 && !this.destroyed;
    if (!isUntouched || this.complete || this.headers.expect !== undefined) return false;
    this.#sink = sink;
    this.#isDiverted = true;
    // Begins reading; without it, Node discards the body once the response ends.
    this._read(0);
    return true;
  }

  /** Called once where the body comes in chunks that are too small. */
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
    const sink = this.#sink;
    if (sink === undefined) return super.push(chunk, encoding);
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

/** Reads the body of a request, or the rest of it, and throws it away: unread it would hold up the connection. */
export function discardBody(request: IncomingMessage): void {
  if (!(request instanceof GatewayRequest && request.divert(nowhere))) request.resume();
}

const nowhere: BodySink = { add() {}, end() {}, breakOff() {} };

type Fields = Readonly<Record<string, string>>;

type Asked = IncomingMessage & Partial<Pick<GatewayRequest, "left">>;

/**
 * Keeps what the chain tells until the head is written, and then writes both at once: setting headers one by one has Node
 * check and copy all of them again, which costs as much as the rest of an answer.
 */
export class GatewayResponse<R extends Asked = Asked> extends ServerResponse<R> {
  #told: Fields | undefined = undefined;

  /** Adds headers, whose names are in lower case; who answers may give them other values. */
  tell(fields: Fields): void {
    this.#told = this.#told === undefined ? fields : { ...this.#told, ...fields };
  }

  /** Also of what was told. */
  override getHeader(name: string): number | string | string[] | undefined {
    return super.getHeader(name) ?? this.#told?.[name.toLowerCase()];
  }

  /** Node's listener is done with it. */
  override detachSocket(socket: Socket): void {
    super.detachSocket(socket);
    this.req.left = mostRest;
  }

  override writeHead(
    status: number,
    reason?: string | OutgoingHttpHeaders | OutgoingHttpHeader[],
    headers?: OutgoingHttpHeaders | OutgoingHttpHeader[],
  ): this {
    const told = this.#told;
    if (told === undefined || typeof reason === "string" || Array.isArray(reason)) {
      for (const name in told) this.setHeader(name, told[name] ?? "");
      return typeof reason === "string"
        ? super.writeHead(status, reason, headers)
        : super.writeHead(status, reason);
    }
    return super.writeHead(status, { ...told, ...reason });
  }
}

/**
 * To be called before the head of an answer that goes on for long is written: it is the last of its connection. A client has to
 * send nothing more then (RFC 9112, section 9.6), so that the parser is freed, which takes as much memory as all else of a client
 * that waits.
 */
export function answerLast(response: ServerResponse): void {
  if (response.req.httpVersionMajor !== 1) return;
  response.shouldKeepAlive = false;
  // The parser may be what calls.
  setImmediate(freeParser, response);
}

/** Node frees the parser of an upgrade, and says so to the listener. Nothing happens where a client has sent more already. */
function freeParser({ req, socket }: ServerResponse): void {
  // Without a socket the answer waits for its turn, or is over.
  if (socket === null || socket.destroyed || socket.isPaused() || !req.complete) return;
  const parser: unknown = Reflect.get(socket, "parser");
  if (typeof parser !== "object" || parser === null || Reflect.get(parser, "incoming") !== req) return;
  Reflect.set(req, "upgrade", true);
  socket.emit("data", noBytes);
  // What Node and the listener did for the connection until now.
  socket.on("timeout", destroyStuck);
  socket.on("error", destroyThis);
  socket.on("end", endThis);
  // It is read on, since the end of the connection would not be noticed otherwise.
  socket.on("data", destroyThis);
}

const noBytes = /* @__PURE__ */ Buffer.alloc(0);

// There may be thousands of such connections, so that all have the same listeners.
function destroyStuck(this: Socket): void {
  if (this.writableLength > 0) this.destroy();
}

function destroyThis(this: Socket): void {
  this.destroy();
}

function endThis(this: Socket): void {
  this.end();
}

/** Adds headers to an answer that has not begun; their names are in lower case. */
export function tellInAnswer(response: ServerResponse, fields: Fields): void {
  if (response instanceof GatewayResponse) response.tell(fields);
  else for (const [name, value] of Object.entries(fields)) response.setHeader(name, value);
}

/** Bytes of a body that are copied to be written with the head. */
const shortBody = 4096;

/** As `response.write`, where the head is not sent yet: a short body leaves with it as one piece, of which Node makes three. */
export function writeWithHead(response: ServerResponse, bytes: Uint8Array, written: Written): void {
  if (!writeShort(response, bytes, written)) response.write(bytes, written);
}

/** As `response.end`, in the way of `writeWithHead`. */
export function endWithHead(response: ServerResponse, bytes: Uint8Array): void {
  if (writeShort(response, bytes, () => undefined)) response.end();
  else response.end(bytes);
}

type Written = (error: Error | null | undefined) => void;

function writeShort(response: ServerResponse, bytes: Uint8Array, written: Written): boolean {
  const { socket } = response;
  // Responses of HTTP/2 have no socket, nor have those that wait for their turn.
  if (bytes.byteLength === 0 || bytes.byteLength > shortBody || !socket || socket.writableCorked > 0)
    return false;
  // Else Node holds back what is written until the turn of the event loop is over, or until the end.
  socket.cork();
  response.write(asBuffer(bytes).toString("latin1"), "latin1", written);
  socket.uncork();
  return true;
}
