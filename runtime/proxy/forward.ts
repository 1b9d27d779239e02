// One request to the upstream and its answer back, neither of them held in memory.

import type { ClientRequest, IncomingMessage, ServerResponse } from "node:http";
import type { Duplex, Readable, Writable } from "node:stream";
import { GatewayError } from "../errors.ts";
import { networkFault, unreachableText } from "../failures/unreachable.ts";
import { answerError } from "../http/answer.ts";
import type { Call, StepResult } from "../http/call.ts";
import { discardBody } from "../http/gateway-messages.ts";
import type { Logger } from "../process/log.ts";
import { Pieces } from "../process/memory/body-budget.ts";
import {
  answerHead,
  hintsOf,
  isEventStream,
  isOldClient,
  statusFault,
  takesTrailers,
  writeHead,
} from "./answer-head.ts";
import { passedRequestTrailers, passedTrailers } from "./fields.ts";
import { type Patience, watch } from "./patience.ts";
import { type BodyLength, bodyLength, requestHead, waitsForContinue } from "./request-head.ts";
import { openRequest, type ProxyTarget, pathAt } from "./target.ts";

/** What forwarding needs to know besides the request. */
export interface Forwarding {
  readonly target: ProxyTarget;
  readonly contact: UpstreamContact;
  readonly log: Logger;
  /** Most bytes of a body that are passed on. */
  readonly maxBodyBytes: number;
}

/** Whether an upstream answers, as the log has it: the first of several failures that are alike, and the answer after them. */
export class UpstreamContact {
  readonly #log: Logger;
  /** Why it is known not to answer. */
  #known: string | undefined;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** The answer for a request whose upstream gave none; the log has the reason. */
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

  /** It has answered. */
  made(): void {
    if (this.#known === undefined) return;
    this.#known = undefined;
    this.#log.info("upstream answers again");
  }
}

/** A request under way. */
interface Exchange extends Forwarding {
  readonly call: Call;
  readonly response: ServerResponse;
  readonly body: BodyLength;
}

/** Milliseconds that a body in which nothing moves is waited for, but for those that may be silent. */
const idleTime = 300_000;
/** Milliseconds that a server is given to ask for a body it was told of. */
const continueTime = 1_000;
/** Methods whose effect is the same however often they arrive (RFC 9110, section 9.2.2). */
const idempotent: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "PUT", "DELETE"]);
/** Of connections that the server has just closed, one after the other. */
export const mostAttempts = 3;

/** Why no request is made for this one; `undefined` where one is. */
export function refusalOf(call: Call, maxBodyBytes: number): GatewayError | undefined {
  const { "content-length": length } = call.request.headers;
  if (call.verb === "TRACE" || call.verb === "CONNECT") return new GatewayError(501, "Not implemented");
  if (Number(length ?? 0) > maxBodyBytes) return tooLarge();
  return undefined;
}

/** Resolves once the head of the answer is on its way to the client, or with why there is none. */
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
      // What the client still sends is thrown away, so that it gets to see the answer.
      discardBody(call.request);
      return contact.explain(error);
    }
  }
}

/** The request to the upstream, not sent yet. */
function ask({ target, call }: Exchange): ClientRequest {
  const path = call.api === undefined ? "/" : pathAt(target, call, call.api);
  return openRequest(target, call, path, requestHead(call, target));
}

/**
 * Whether a request without a body is worth another attempt: a server may close a connection at the very moment
 * a request is sent on it, which is no harm where it can be made twice. Any other is refused to the client, which
 * alone knows.
 */
export function mayAskAgain(error: unknown, outgoing: ClientRequest, { verb }: Call): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const isClosed = code === "ECONNRESET" || code === "EPIPE";
  return isClosed && outgoing.reusedSocket && idempotent.has(verb);
}

/** Sends the request; resolves with the head of the answer. */
function answerTo(
  outgoing: ClientRequest,
  exchange: Exchange,
): Promise<{ readonly answer: IncomingMessage; readonly patience: Patience }> {
  const { response, target } = exchange;
  return new Promise((resolve, reject) => {
    let [isAnswered, isOver] = [false, false];
    const leave = () => {
      if (!isOver) outgoing.destroy();
    };
    const patience = watch(outgoing, response, target.timeouts, idleTime, exchange.body === "none");
    // Events that occur once have permanent listeners: each `once` costs a function and a search among the listeners.
    response.on("close", leave);
    outgoing.on("close", () => {
      isOver = true;
      // Making an error for every request that has its answer would be a large part of passing it on.
      if (!isAnswered) reject(new GatewayError(502, "Upstream ended the connection"));
    });
    // Also after the answer has come: then it is the answer that ends.
    outgoing.on("error", reject);
    outgoing.on("upgrade", destroyUpgraded);
    outgoing.on("information", ({ statusCode, headers }) => passHints(statusCode, headers.link, response));
    outgoing.on("response", (answer: IncomingMessage) => {
      isAnswered = true;
      const fault = statusFault(answer);
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

/** A client that waits to be asked for the body is asked when the upstream asks, or says nothing of it. */
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

/** Passes the body on as it comes, as fast as the upstream takes it. */
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

/** Bytes of the largest piece that waits for earlier ones to be written. */
const longestWait = 16 * 1024;

/**
 * Writes what one end brings to the other, as fast as that takes it. What comes while earlier bytes wait is joined: written as
 * it came, a body in pieces of one byte would take hundreds of times its length.
 */
export class Relay {
  readonly #from: Readable;
  readonly #to: Writable;
  #waiting: Pieces | undefined;
  #unwritten = 0;
  readonly #resume = () => this.#from.resume();
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

  /** Writes what waits. */
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

/** What an answer may be expected to bring (RFC 8297); `Link` is all that Node lets it say. HTTP/1.0 knows no such answers. */
function passHints(status: number, link: string | string[] | undefined, response: ServerResponse): void {
  if (status !== 103 || link === undefined || response.headersSent || isOldClient(response)) return;
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
  // Node judges some of the head when it is sent; nothing would catch what it throws in a listener.
  const breakOff = (error: unknown) => {
    outgoing.destroy();
    log.warn("upstream response is not valid HTTP", { error });
    if (response.headersSent) response.destroy();
    else answerError(response, new GatewayError(502, "Upstream response is not valid HTTP"));
  };
  // Node's own pipes listen to a dozen events for each answer, which costs more than most answers.
  const relay = new Relay(answer, response);
  answer.on("data", (chunk: Buffer) => {
    patience.progress();
    if (response.destroyed || response.writableEnded) return;
    follow?.(chunk);
    try {
      begin(false);
      relay.write(chunk);
    } catch (error) {
      breakOff(error);
    }
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
    // An answer that does not wait for the whole request ends it.
    if (!outgoing.writableFinished) outgoing.destroy();
  });
  // Where it breaks off, the client sees that it is not whole; a client that leaves has ended the request already.
  const cut = () => {
    // One whose right has ended has been told so.
    if (!response.writableEnded) response.destroy();
  };
  answer.on("error", cut);
  answer.on("close", () => {
    if (!answer.complete) cut();
  });
  // The first byte of an event stream may be hours away; what is there already goes along with the head.
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

/** Whether more events can be written behind those of the upstream. */
function isPlainEventStream(answer: IncomingMessage): boolean {
  return isEventStream(answer) && answer.headers["content-encoding"] === undefined;
}

function tooLarge(): GatewayError {
  return new GatewayError(413, "Request body is too large");
}
