// Forwards one request to the upstream and its response back, without holding either in memory.

import type { ClientRequest, IncomingMessage, ServerResponse } from "node:http";
import type { Duplex, Readable, Writable } from "node:stream";
import { abort } from "../concurrency/abort.ts";
import { GatewayError } from "../errors.ts";
import { networkFault, unreachableText } from "../failures/unreachable.ts";
import { answerError } from "../http/answer.ts";
import type { Call, CallRight, StepResult } from "../http/call.ts";
import { discardBody } from "../http/gateway-messages.ts";
import type { Logger } from "../process/log.ts";
import { Pieces } from "../process/memory/body-budget.ts";
import {
  answerHead,
  headFault,
  hintsOf,
  isEventStream,
  isOldClient,
  takesTrailers,
  writeHead,
} from "./answer-head.ts";
import { passedRequestTrailers, passedTrailers } from "./fields.ts";
import { type Patience, watch } from "./patience.ts";
import { type BodyLength, bodyLength, requestHead, waitsForContinue } from "./request-head.ts";
import { openRequest, type ProxyTarget, pathAt } from "./target.ts";

/** The context of forwarding. */
export interface Forwarding {
  readonly target: ProxyTarget;
  readonly contact: UpstreamContact;
  readonly log: Logger;
  /** The most bytes of a body that are passed on. */
  readonly maxBodyBytes: number;
}

/** Logs whether an upstream responds: the first of several equal failures, and the response after them. */
export class UpstreamContact {
  readonly #log: Logger;
  /** The last logged failure. */
  #known: string | undefined;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Returns the error for a request without a response from the upstream, and logs the reason. */
  explain(error: unknown): GatewayError {
    if (error instanceof GatewayError && error.status < 500) return error;
    const fault = networkFault(error);
    const known = String(error);
    const level = known === this.#known ? "debug" : "warn";
    this.#known = known;
    const reason = fault && { reason: unreachableText("upstream", fault) };
    this.#log[level]("upstream not reached", { ...reason, error });
    const isLate = error instanceof GatewayError && error.status === 504;
    return isLate ? error : new GatewayError(502, "Upstream is not reachable");
  }

  /** Records that the upstream responded. */
  made(): void {
    if (this.#known === undefined) return;
    this.#known = undefined;
    this.#log.info("upstream answers again");
  }
}

/** A request in progress. */
interface Exchange extends Forwarding {
  readonly call: Call;
  readonly response: ServerResponse;
  readonly body: BodyLength;
}

/** Milliseconds until a body without progress is given up, unless it may be silent. */
const idleTime = 300_000;
/** Milliseconds to wait for the server's `100 Continue`. */
const continueTime = 1_000;
/** Idempotent methods (RFC 9110, section 9.2.2). */
const idempotent: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "PUT", "DELETE"]);
/** The most early hints of a response that are passed on: they cannot wait for a client that does not read. */
const mostHints = 16;
/** The most attempts, on connections that the server has just closed. */
export const mostAttempts = 3;

/** Returns the error if the request is not forwarded; otherwise `undefined`. */
export function refusalOf(call: Call, maxBodyBytes: number): GatewayError | undefined {
  const { "content-length": length } = call.request.headers;
  if (call.verb === "TRACE" || call.verb === "CONNECT") return new GatewayError(501, "Not implemented");
  if (Number(length ?? 0) > maxBodyBytes) return tooLarge();
  return undefined;
}

/** Resolves when the head of the response is being sent to the client, or with the error if there is no response. */
export async function forward(
  call: Call,
  response: ServerResponse,
  forwarding: Forwarding,
): Promise<StepResult> {
  const exchange = { ...forwarding, call, response, body: bodyLength(call) };
  const { contact } = forwarding;
  for (let attempt = 1; ; attempt += 1) {
    const outgoing = ask(exchange);
    try {
      const { answer, patience } = await answerTo(outgoing, exchange);
      contact.made();
      return passBack(answer, patience, outgoing, exchange);
    } catch (error) {
      if (response.destroyed) return "done"; // the client left, which ended the request
      const isAgain =
        attempt < mostAttempts && exchange.body === "none" && mayAskAgain(error, outgoing, call);
      if (isAgain) continue;
      // The rest of the client's body is discarded, so that the client gets the response.
      discardBody(call.request);
      return contact.explain(error);
    }
  }
}

/** Creates the request to the upstream, without sending it. */
function ask({ target, call }: Exchange): ClientRequest {
  const path = call.api === undefined ? "/" : pathAt(target, call, call.api);
  return openRequest(target, call, path, requestHead(call, target));
}

/**
 * Whether to repeat a request without a body: a server may close a connection at the moment when a request is sent on
 * it, so the request can be repeated if it is idempotent. For any other request the client must decide.
 */
export function mayAskAgain(error: unknown, outgoing: ClientRequest, { verb }: Call): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const isClosed = code === "ECONNRESET" || code === "EPIPE";
  return isClosed && outgoing.reusedSocket && idempotent.has(verb);
}

/** Sends the request; resolves with the head of the response. */
function answerTo(
  outgoing: ClientRequest,
  exchange: Exchange,
): Promise<{ readonly answer: IncomingMessage; readonly patience: Patience }> {
  const { response, target } = exchange;
  return new Promise((resolve, reject) => {
    let [isAnswered, isOver] = [false, false];
    let hints = 0;
    const leave = () => {
      if (!isOver) outgoing.destroy();
    };
    const patience = watch(outgoing, response, target.timeouts, idleTime, exchange.body === "none");
    // Events that occur once have permanent listeners: each `once` costs a function and a search among the listeners.
    response.on("close", leave);
    outgoing.on("close", () => {
      isOver = true;
      // Creating an error for every request with a response would be a large part of the cost of forwarding.
      if (!isAnswered) reject(new GatewayError(502, "Upstream ended the connection"));
    });
    // Also called after the response began: then the response ends.
    outgoing.on("error", reject);
    outgoing.on("upgrade", destroyUpgraded);
    outgoing.on("information", ({ statusCode, headers }) => {
      if (statusCode !== 103 || hints === mostHints) return;
      hints += 1;
      passHints(headers.link, response);
    });
    outgoing.on("response", (answer: IncomingMessage) => {
      isAnswered = true;
      const fault = headFault(answer);
      if (fault !== undefined) outgoing.destroy(fault);
      else resolve({ answer, patience });
    });
    sendBody(outgoing, patience, exchange);
    if (response.destroyed) leave();
  });
}

function destroyUpgraded(_answer: IncomingMessage, socket: Duplex): void {
  socket.destroy();
}

/**
 * Sends the body. A client that waits for `100 Continue` gets it when the upstream sends it, or after `continueTime`.
 */
function sendBody(outgoing: ClientRequest, patience: Patience, exchange: Exchange): void {
  if (exchange.body === "none") {
    outgoing.end();
  } else if (exchange.call.body !== undefined) {
    outgoing.end(exchange.call.body.bytes);
  } else if (waitsForContinue(exchange.call)) {
    const begin = () => {
      clearTimeout(timer);
      if (!outgoing.destroyed) passBody(outgoing, patience, exchange);
    };
    const timer = setTimeout(begin, continueTime);
    outgoing.once("continue", begin);
    outgoing.once("response", () => clearTimeout(timer));
    outgoing.once("close", () => clearTimeout(timer));
    outgoing.flushHeaders();
  } else {
    passBody(outgoing, patience, exchange);
  }
}

/** Passes the body on as it arrives, at the speed of the upstream. */
function passBody(outgoing: ClientRequest, patience: Patience, { call, maxBodyBytes }: Exchange): void {
  const { request } = call;
  const relay = new Relay(request, outgoing);
  let size = 0;
  request.on("data", (chunk: Buffer) => {
    patience.progress();
    size += chunk.length;
    if (size > maxBodyBytes) outgoing.destroy(tooLarge());
    relay.write(chunk);
  });
  request.once("end", () => {
    relay.flush();
    if (relay.isOver) return;
    outgoing.addTrailers(passedRequestTrailers(request, call.credentialFields ?? []));
    outgoing.end();
  });
  request.once("error", () => outgoing.destroy());
}

/** The largest piece, in bytes, that waits for earlier ones to be written. */
const longestWait = 16 * 1024;

/**
 * Writes the data of one end to the other at the speed of the receiver. Data that arrives while earlier bytes wait is
 * joined: otherwise a body in pieces of one byte would take hundreds of times its length.
 */
export class Relay {
  readonly #from: Readable;
  readonly #to: Writable;
  #waiting: Pieces | undefined;
  #unwritten = 0;
  #isHeld = false;
  readonly #resume = () => {
    if (!this.#isHeld) this.#from.resume();
  };
  readonly #written = () => {
    this.#unwritten -= 1;
    if (this.#unwritten === 0) this.flush();
  };

  constructor(from: Readable, to: Writable) {
    this.#from = from;
    this.#to = to;
  }

  /** Whether nothing more can be written. */
  get isOver(): boolean {
    return this.#to.destroyed || this.#to.writableEnded;
  }

  write(chunk: Uint8Array): void {
    if (this.#unwritten === 0) {
      this.#send(chunk);
      return;
    }
    this.#waiting ??= new Pieces();
    this.#waiting.add(chunk);
    if (this.#waiting.length >= longestWait) this.flush();
  }

  /** Calls `pass` when the right holds again, and reads nothing until then. After the end of the right it is not called. */
  hold(right: CallRight, pass: () => void): void {
    this.#isHeld = true;
    this.#from.pause();
    const gone = new AbortController();
    const leave = () => abort(gone);
    this.#to.once("close", leave);
    const goOn = () => {
      this.#isHeld = false;
      this.#to.off("close", leave);
      this.#from.resume();
      pass();
    };
    right.whenHeld(gone.signal).then(goOn, () => {
      this.#isHeld = false;
    });
  }

  /** Writes the waiting data. */
  flush(): void {
    if (this.#waiting !== undefined && this.#waiting.length > 0) this.#send(this.#waiting.takeAll());
  }

  #send(bytes: Uint8Array): void {
    if (this.isOver) return;
    this.#unwritten += 1;
    if (this.#to.write(bytes, this.#written)) return;
    this.#from.pause();
    this.#to.once("drain", this.#resume);
  }
}

/** Passes early hints on (RFC 8297); Node.js allows only `Link`. HTTP/1.0 has no interim responses. */
function passHints(link: string | string[] | undefined, response: ServerResponse): void {
  if (link === undefined || response.headersSent || isOldClient(response)) return;
  const links = hintsOf(String(link));
  if (links.length > 0) response.writeEarlyHints({ link: [...links] });
}

function passBack(
  answer: IncomingMessage,
  patience: Patience,
  outgoing: ClientRequest,
  { call, response, target, log }: Exchange,
): StepResult {
  let head: readonly string[];
  try {
    head = answerHead(response, answer, call, target);
  } catch (error) {
    outgoing.destroy();
    log.warn("upstream response is not valid HTTP", { error });
    return new GatewayError(502, "Upstream response is not valid HTTP");
  }
  if (answer.complete) patience.end();
  else patience.answered(isEventStream(answer));
  if (call.right !== undefined && !answer.complete && answer.headers["content-length"] === undefined)
    call.right.hasEndlessAnswer = true;
  const follow =
    call.right?.hasEndlessAnswer === true && isPlainEventStream(answer)
      ? call.right.follow(() => outgoing.destroy())
      : undefined;
  let hasHead = false;
  const begin = (isEmpty: boolean) => {
    if (hasHead) return;
    hasHead = true;
    writeHead(response, answer, head, isEmpty);
  };
  // Node.js validates some of the head when it is sent; nothing would catch errors thrown in a listener.
  const breakOff = (error: unknown) => {
    outgoing.destroy();
    log.warn("upstream response is not valid HTTP", { error });
    if (response.headersSent) response.destroy();
    else answerError(response, new GatewayError(502, "Upstream response is not valid HTTP"));
  };
  // Node's own pipes add a dozen listeners for each response, which costs more than most responses.
  const relay = new Relay(answer, response);
  const pass = (chunk: Buffer) => {
    if (response.destroyed || response.writableEnded) return;
    follow?.(chunk);
    try {
      begin(false);
      relay.write(chunk);
    } catch (error) {
      breakOff(error);
    }
  };
  const { right } = call;
  answer.on("data", (chunk: Buffer) => {
    patience.progress();
    if (right?.holds === false) relay.hold(right, () => pass(chunk));
    else pass(chunk);
  });
  answer.on("end", () => {
    try {
      if (!response.destroyed && !response.writableEnded) {
        begin(true);
        relay.flush();
        if (takesTrailers(response, answer)) response.addTrailers(passedTrailers(answer.trailers));
        response.end();
      }
    } catch (error) {
      breakOff(error);
    }
    // A complete response before the end of the request ends the request.
    if (!outgoing.writableFinished) outgoing.destroy();
  });
  // If the response breaks off, the client sees that it is incomplete; a client that leaves has ended the request
  // already.
  const cut = () => {
    // If the right of the call has ended, the client was notified.
    if (!response.writableEnded) response.destroy();
  };
  answer.on("error", cut);
  answer.on("close", () => {
    if (!answer.complete) cut();
  });
  // The first byte of an event stream may be hours away, so the head is sent now; bytes that have arrived go with it.
  if (!answer.complete) {
    setImmediate(() => {
      if (hasHead || response.destroyed || response.writableEnded) return;
      try {
        begin(false);
        response.flushHeaders();
      } catch (error) {
        breakOff(error);
      }
    });
  }
  return "done";
}

/** Whether the gateway can append events to those of the upstream. */
function isPlainEventStream(answer: IncomingMessage): boolean {
  return isEventStream(answer) && answer.headers["content-encoding"] === undefined;
}

function tooLarge(): GatewayError {
  return new GatewayError(413, "Request body is too large");
}
