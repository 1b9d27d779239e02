// Requests over kept-alive connections of HTTP/1.1, with Node's own parser. `ClientRequest` and `Agent` of `node:http`
// create a dozen objects and some thirty listeners for each request, which costs three times as much as the rest.

import { maxHeaderSize } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { codingFault } from "../http/connection-fields.ts";
import { lazily } from "../text/memo.ts";
import type { AbortState } from "./request.ts";
import { transferCodings, WireReply } from "./wire-reply.ts";

/** A request as its head is written. */
export interface WireRequest {
  readonly verb: string;
  /** The request line and the fields, with the empty line. */
  readonly head: string;
  readonly body: Uint8Array | undefined;
}

/** The part of Node's parser that is used here; it is the parser of `node:http`. */
interface Parser {
  [callback: number]: (...values: never[]) => unknown;
  initialize(type: number, resource: object, mostHeaderBytes: number, lenient: number): void;
  execute(chunk: Buffer): number | Error;
  finish(): number | Error | undefined;
  close(): void;
}

/** The class of Node's parser. */
export interface ParserClass {
  new (): Parser;
  readonly RESPONSE: number;
  readonly kOnMessageBegin: number;
  readonly kOnHeaders: number;
  readonly kOnHeadersComplete: number;
  readonly kOnBody: number;
  readonly kOnMessageComplete: number;
}

/** Returns Node's parser; `of` is `undefined` for a Node that does not share it. */
export const parserClass = /* @__PURE__ */ lazily((): { readonly of: ParserClass | undefined } => {
  const shared: { HTTPParser?: ParserClass } | undefined = process.getBuiltinModule("_http_common");
  return { of: shared?.HTTPParser };
});

/** What the parser is to do with the rest of a message. */
const [readBody, skipBody, stopReading] = [0, 1, 2];

/** Bytes of a body that are copied to be written together with the head. */
const shortBody = 4096;

/** A request whose response is not complete. */
interface Exchange {
  readonly verb: string;
  readonly signal: AbortState;
  resolve(reply: WireReply): void;
  reject(error: Error): void;
  reply: WireReply | undefined;
}

/** One connection. It carries one request at a time. */
export class Wire {
  /** Until when it may wait for a request, in milliseconds of `performance.now()`. */
  idleUntil = 0;
  readonly #socket: Duplex & Partial<Pick<Socket, "ref" | "unref">>;
  readonly #parser: Parser;
  readonly #release: (wire: Wire, patience: number) => void;
  #exchange: Exchange | undefined;
  #fields: string[] = [];
  /** Whether the message that is being read is an interim response, which others follow. */
  #isInterim = false;
  #isComplete = false;
  #mayStay = false;
  /** The error that ended the connection. */
  #error: Error | undefined;
  readonly #abort = () => this.#fail(abortError(this.#exchange?.signal));

  /** `release` is called when it can carry another request, with the milliseconds that the server waits for it. */
  constructor(
    of: ParserClass,
    socket: Duplex,
    release: (wire: Wire, patience: number) => void,
    onClose: (wire: Wire) => void,
  ) {
    this.#socket = socket;
    this.#release = release;
    const parser = new of();
    this.#parser = parser;
    parser.initialize(of.RESPONSE, this, maxHeaderSize, 0);
    parser[of.kOnMessageBegin] = () => this.#beginMessage();
    parser[of.kOnHeaders] = (fields: string[]) => void this.#fields.push(...fields);
    parser[of.kOnHeadersComplete] = (
      _major: number,
      minor: number,
      fields: string[] | undefined,
      _method: unknown,
      _url: unknown,
      status: number,
      _reason: unknown,
      _upgrade: boolean,
      mayStay: boolean,
    ) => this.#endHead(status, fields ?? this.#fields, mayStay, minor);
    parser[of.kOnBody] = (chunk: Buffer) => this.#exchange?.reply?.add(chunk);
    parser[of.kOnMessageComplete] = () => this.#endMessage();
    socket.on("data", (chunk: Buffer) => this.read(chunk));
    socket.on("end", () => this.#end());
    socket.on("error", (error) => this.#fail(error));
    socket.on("close", () => {
      this.#fail(hungUp());
      onClose(this);
      // The parser may be the caller.
      setImmediate(() => parser.close());
    });
  }

  /** Whether it can carry a request. */
  get isOpen(): boolean {
    return this.#socket.writable && this.#exchange === undefined;
  }

  /** Sends a request; resolves with its response, whose body follows. */
  send({ verb, head, body }: WireRequest, signal: AbortState): Promise<WireReply> {
    return new Promise((resolve, reject) => {
      this.#exchange = { verb, signal, resolve, reject, reply: undefined };
      this.#isComplete = false;
      // Its error was emitted before the request.
      if (this.#socket.destroyed) return this.#fail(this.#error ?? hungUp());
      if (signal.aborted) return this.#abort();
      signal.addEventListener("abort", this.#abort, { once: true });
      const socket = this.#socket;
      socket.ref?.();
      const length = body?.byteLength ?? 0;
      if (body === undefined || length === 0) socket.write(head, "latin1");
      else if (length <= shortBody) {
        const bytes = Buffer.allocUnsafe(head.length + length);
        bytes.write(head, 0, "latin1");
        bytes.set(body, head.length);
        socket.write(bytes);
      } else {
        socket.cork();
        socket.write(head, "latin1");
        socket.write(body);
        socket.uncork();
      }
    });
  }

  pause(): void {
    this.#socket.pause();
  }

  /** Called when more of the body of `reply` can be stored. */
  resume(reply: WireReply): void {
    if (this.#exchange?.reply === reply) this.#continue();
  }

  #continue(): void {
    if (this.#socket.isPaused()) this.#socket.resume();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** Called with bytes from the server. Nothing keeps them: the parser copies what it passes on. */
  read(chunk: Buffer): void {
    // Data without a request cannot be assigned to the next one.
    this.#take(this.#exchange === undefined ? unasked() : this.#parser.execute(chunk));
  }

  #end(): void {
    if (this.#exchange !== undefined) this.#take(this.#parser.finish());
    this.destroy();
  }

  /** Takes the result of the parser. What follows a whole response may be invalid, but does not change the response. */
  #take(result: number | Error | undefined): void {
    if (this.#isComplete && this.#exchange !== undefined) {
      this.#mayStay &&= !(result instanceof Error);
      this.#complete();
    } else if (result instanceof Error) this.#fail(result);
  }

  #beginMessage(): void {
    // A second response to the same request.
    if (this.#isComplete) this.#mayStay = false;
    this.#fields = [];
  }

  #endHead(status: number, fields: readonly string[], mayStay: boolean, minor: number): number {
    const exchange = this.#exchange;
    if (exchange === undefined || this.#isComplete) return skipBody;
    if (status === 101) {
      this.#fail(new Error("the server has switched to another protocol"));
      return stopReading;
    }
    // A status below 100 is invalid, but belongs to a final response, as in `node:http`.
    this.#isInterim = status >= 100 && status < 200;
    if (this.#isInterim) return skipBody;
    const codings = transferCodings(fields);
    const fault = codingFault(codings);
    if (fault !== undefined) {
      this.#fail(fault);
      return stopReading;
    }
    // HTTP/1.0 has no transfer codings: what follows may be a part of the body (RFC 9112, section 6.1).
    this.#mayStay = mayStay && (codings === undefined || minor > 0);
    exchange.reply = new WireReply(this, exchange.verb, status, fields);
    // The fields behind the body are not part of the head.
    this.#fields = [];
    exchange.resolve(exchange.reply);
    return exchange.verb === "HEAD" ? skipBody : readBody;
  }

  #endMessage(): void {
    if (this.#isInterim) this.#isInterim = false;
    else this.#isComplete = true;
  }

  /** Called once the parser has returned, so that the connection can take the next request. */
  #complete(): void {
    const { reply } = this.#closeExchange() ?? {};
    // Node notes the end of a write over TLS in the next check phase, which a short response may precede.
    if (this.#mayStay && this.#socket.writableLength > 0) setImmediate(() => this.#finish(reply));
    else this.#finish(reply);
  }

  #finish(reply: WireReply | undefined): void {
    const patience = patienceOf(reply?.first("keep-alive"));
    // Whatever the server has not read yet of a request it has answered would precede the next request.
    if (this.#mayStay && patience > 0 && this.#socket.writable && this.#socket.writableLength === 0) {
      this.#continue();
      this.#socket.unref?.();
      this.#release(this, patience);
    } else this.destroy();
    reply?.end();
  }

  #fail(error: Error): void {
    const exchange = this.#closeExchange();
    this.#error ??= error;
    if (exchange?.reply !== undefined) exchange.reply.breakOff(error);
    else exchange?.reject(error);
    this.destroy();
  }

  #closeExchange(): Exchange | undefined {
    const exchange = this.#exchange;
    this.#exchange = undefined;
    exchange?.signal.removeEventListener("abort", this.#abort);
    return exchange;
  }
}

/** Returns the error of a request whose `signal` is aborted. */
export function abortError(signal: AbortState | undefined): Error {
  return new Error("the request was aborted", { cause: signal?.reason });
}

function unasked(): Error {
  return new Error("the server has sent data without a request");
}

function hungUp(): Error {
  return Object.assign(new Error("socket hang up"), { code: "ECONNRESET" });
}

/** Milliseconds before the time that a server names, after which it closes the connection; Node waits as long. */
const before = 1_000;

/** Returns the milliseconds that a server keeps an idle connection, less a margin. */
function patienceOf(field: string | undefined): number {
  const [, seconds] = field === undefined ? [] : (/^timeout=(\d+)/.exec(field) ?? []);
  return seconds === undefined ? Number.POSITIVE_INFINITY : Number(seconds) * 1000 - before;
}
