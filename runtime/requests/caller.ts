// Sends HTTP requests and repeats them depending on the response, for every component that calls an HTTP address.

import { STATUS_CODES } from "node:http";
import type { Readable } from "node:stream";
import { waitForLimit } from "../component/rate-limit-wait.ts";
import { createBackoff, pause } from "../concurrency/backoff.ts";
import { Limited, TimeLimits } from "../concurrency/time-limits.ts";
import { GatewayError } from "../errors.ts";
import type { BodySink } from "../http/gateway-messages.ts";
import type { Value } from "../message/value.ts";
import { answerLimit, bodyBudget, Pieces } from "../process/memory/body-budget.ts";
import { tlsOptions } from "../process/tls.ts";
import { asBuffer, fieldText } from "../text/utf8.ts";
import { completeTransport } from "./connections.ts";
import { createDump, type Dump } from "./dump.ts";
import { createExchanger } from "./exchange.ts";
import type { AbortState, Credentials, IncomingReply, OutgoingRequest, Requester, Send } from "./request.ts";
import { type HttpRequestSettings, judge, type ReplyVerdict, requestedPause } from "./settings.ts";
import { discardBody } from "./wire-reply.ts";

/** A response that counts as success. */
export interface HttpReply {
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
  /** `http_status_code`, and the headers that the filter selects. */
  readonly metadata: ReadonlyMap<string, Value>;
}

/** Sends the requests of one component. */
export interface HttpCaller {
  /**
   * Resolves with the first successful response. Rejects with a `GatewayError` after the last attempt, immediately on
   * a status in `drop_on` or when the requester cuts the request, and without further attempts when the requester's
   * signal is aborted. After a success status the request is never sent again, even if the rest of the response is
   * lost.
   */
  call(request: OutgoingRequest, requester: Requester): Promise<HttpReply>;
  /** As `call`, but leaves the body open until `cut` is aborted; only its head has a time limit, a long one. */
  open(request: OutgoingRequest, requester: Requester, cut: AbortSignal): Promise<IncomingReply & HttpHead>;
  /** Closes the connections; no request may be sent afterwards. */
  close(): void;
}

type HttpHead = Omit<HttpReply, "body">;

/**
 * Milliseconds until the head of a response must arrive whose body is left open. Some servers send it with the first data, so
 * this is as long as other clients wait.
 */
const longestHead = 300_000;

/**
 * Returns a caller. Reads certificates immediately and throws a `GatewayError` if they are not valid; opens no
 * connection before the first call.
 */
export function createCaller(settings: HttpRequestSettings): HttpCaller {
  const { proxy_url: proxy, transport, timeout } = settings;
  const limits = timeout > 0 ? new TimeLimits(timeout) : undefined;
  const limitsOfHeads = new TimeLimits(Math.max(timeout, longestHead));
  const { send, close } = createExchanger({
    tls: tlsOptions(settings.tls),
    proxy,
    transport: completeTransport(transport),
  });
  const dump = createDump(settings.dump_request_log_level);
  const sign = createSigner(settings, send, dump);
  const { extract_headers: isExtracted } = settings;

  /** Sends `request` until it succeeds; the time limit of an attempt applies until `read` is done. */
  async function repeat<T>(
    request: OutgoingRequest,
    requester: Requester,
    read: Read<T>,
    outer?: AbortSignal,
  ): Promise<T> {
    const { retries, retry_period, max_retry_backoff: longest, rate_limit } = settings;
    const { log, cut, signal: stop } = requester;
    const backoff = createBackoff({ first: retry_period, longest });
    for (let attempts = 0; ; attempts += 1) {
      if (rate_limit !== undefined) await waitForLimit(rate_limit, 0, requester);
      const limit = new AttemptLimit(outer === undefined ? limits : limitsOfHeads, outer ?? cut);
      let failed: FailedAttempt;
      let isAnswered = false;
      let isOpen = false;
      try {
        const reply = await sign(request, limit, requester);
        const verdict = judge(reply.status, settings);
        if (verdict === "success") {
          isAnswered = true;
          isOpen = outer !== undefined;
          if (isOpen) limit.leaveOpen(reply.body);
          const result = read(reply, log);
          return result instanceof Promise ? await result : result;
        }
        // A body that is left open has no time limit, and only errors about messages quote a body.
        const quote = outer === undefined ? await readQuote(reply.body) : "";
        discardBody(reply.body);
        const failure = new UnexpectedReply(request.url, reply.status, quote, {
          retryable: verdict !== "fail",
        });
        failed = { verdict, failure, pause: requestedPause(reply.headers) };
      } catch (error) {
        const failure = cut?.aborted ? cutShort(error) : explain(error, request.url, limit.aborted);
        if (isAnswered) throw failure;
        failed = { verdict: "repeat", failure, pause: 0 };
      } finally {
        if (!isOpen) limit.end();
      }
      const isLast = attempts >= retries || stop.aborted || cut?.aborted === true;
      if (failed.verdict === "fail" || isLast) throw failed.failure;
      const own = failed.verdict === "grow" ? backoff.next() : retry_period;
      // Respects the pause that the server requests, up to the longest pause that the document allows.
      await pause(Math.max(own, Math.min(failed.pause, longest)), stop);
      if (stop.aborted) throw failed.failure;
    }
  }

  function headOf(reply: IncomingReply): HttpHead {
    const metadata = new Map<string, Value>();
    if (isExtracted !== undefined) {
      for (const [name, value] of Object.entries(reply.headers)) {
        if (value !== undefined && isExtracted(name))
          metadata.set(name, fieldText([value].flat().join(", ")));
      }
    }
    metadata.set("http_status_code", reply.status);
    return { status: reply.status, contentType: reply.first("content-type") ?? "", metadata };
  }

  function whole(reply: IncomingReply, body: Buffer, log: Requester["log"]): HttpReply {
    dump?.body(body, log);
    return { ...headOf(reply), body };
  }

  const readAll: Read<HttpReply> = (reply, log) => {
    const body = new Collector(reply).read();
    return body instanceof Promise ? body.then((each) => whole(reply, each, log)) : whole(reply, body, log);
  };
  const readHead: Read<IncomingReply & HttpHead> = (reply) => ({
    headers: reply.headers,
    body: reply.body,
    first: (name) => reply.first(name),
    ...headOf(reply),
  });

  return {
    call: (request, requester) => repeat(request, requester, readAll),
    open: (request, requester, cut) => repeat(request, requester, readHead, cut),
    close() {
      close();
      limits?.close();
      limitsOfHeads.close();
    },
  };
}

/** Reads a response that counts as success. */
type Read<T> = (reply: IncomingReply, log: Requester["log"]) => T | Promise<T>;

interface FailedAttempt {
  readonly verdict: Exclude<ReplyVerdict, "success">;
  readonly failure: GatewayError;
  readonly pause: number;
}

/**
 * Reads the whole body of a response. A body above the size limit fails the message permanently, since it would be as
 * large the next time; a body that the process has no memory for now fails only the attempt.
 */
class Collector implements BodySink {
  readonly #reply: IncomingReply;
  readonly #limit = Math.min(answerLimit.bytes, bodyBudget.limit);
  readonly #hold = bodyBudget.hold();
  readonly #pieces = new Pieces();
  #isOver = false;
  #body: Buffer | undefined;
  #error: unknown;
  #waiting: PromiseWithResolvers<Buffer> | undefined;

  constructor(reply: IncomingReply) {
    this.#reply = reply;
  }

  /** Returns the body; a promise if it is not complete. */
  read(): Buffer | Promise<Buffer> {
    if (this.#reply.divert?.(this) !== true) this.#readStream(this.#reply.body);
    if (this.#body !== undefined) return this.#body;
    if (this.#isOver) return Promise.reject(this.#error);
    this.#waiting = Promise.withResolvers();
    return this.#waiting.promise;
  }

  #readStream(body: Readable): void {
    // Uses events: an iterator would cost as much as the rest of a short response.
    body
      .on("data", (chunk: Buffer) => this.add(chunk))
      .on("end", () => this.end())
      .on("error", (error) => this.#fail(error))
      .on("close", () => this.breakOff());
    // A stream that is already closed emits no further event.
    if (body.closed) this.breakOff();
  }

  add(chunk: Buffer): void {
    if (this.#isOver) return;
    if (this.#pieces.length + chunk.length > this.#limit) {
      this.#fail(answerTooLarge(this.#limit));
      return;
    }
    const cause = this.#hold.take(chunk.length);
    if (cause === undefined) this.#pieces.add(chunk);
    else this.#fail(new GatewayError(502, "The answer is too large for now", { cause }));
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#hold.release();
    this.#body = asBuffer(this.#pieces.takeAll());
    this.#waiting?.resolve(this.#body);
  }

  breakOff(): void {
    if (!this.#isOver) this.#fail(this.#reply.body.errored ?? new Error("the answer was cut off"));
  }

  #fail(reason: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#hold.release();
    this.#error = reason;
    this.#waiting?.reject(reason);
    this.#reply.body.destroy();
  }
}

function answerTooLarge(limit: number): GatewayError {
  const message = `The answer is larger than ${limit} bytes, the limit of answers (limits.max_answer_bytes)`;
  return new GatewayError(502, message, { retryable: false });
}

/** Aborted after the time limit, if there is one, or together with `cut`. */
class AttemptLimit extends Limited implements AbortState {
  aborted = false;
  reason: unknown = undefined;
  /** Mostly there is one listener: the connection. */
  #listener: (() => void) | undefined;
  #others: Set<() => void> | undefined;
  readonly #limits: TimeLimits | undefined;
  readonly #cut: AbortSignal | undefined;
  readonly #onCut: (() => void) | undefined;

  constructor(limits: TimeLimits | undefined, cut: AbortSignal | undefined) {
    super();
    this.#limits = limits;
    limits?.begin(this);
    this.#cut = cut;
    if (cut === undefined) return;
    this.#onCut = () => this.#abort(cut.reason);
    if (cut.aborted) this.#onCut();
    cut.addEventListener("abort", this.#onCut, { once: true });
  }

  addEventListener(_type: "abort", listener: () => void): void {
    if (this.#listener === undefined) this.#listener = listener;
    else {
      this.#others ??= new Set();
      this.#others.add(listener);
    }
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    if (this.#listener === listener) this.#listener = undefined;
    else this.#others?.delete(listener);
  }

  onTimeout(): void {
    this.#abort(new Error("the request timed out"));
  }

  /** Ends the time limit, and when `body` is closed the rest. */
  leaveOpen(body: Readable): void {
    this.#limits?.leave(this);
    if (body.closed) this.end();
    else body.once("close", () => this.end());
  }

  end(): void {
    this.#limits?.leave(this); // a timer would keep a process alive that has nothing left to do
    if (this.#onCut !== undefined) this.#cut?.removeEventListener("abort", this.#onCut);
  }

  #abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    this.#listener?.();
    for (const listener of this.#others ?? []) listener();
  }
}

/**
 * As `work`, but rejects when `cut` is aborted: work that several requests wait for, such as a token, may finish
 * later.
 */
async function unlessAborted<T>(work: Promise<T>, cut: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(cut.reason);
  if (cut.aborted) abort();
  cut.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    cut.removeEventListener("abort", abort);
  }
}

/** The error of a request that was cut: it is unknown whether the server has processed it. */
function cutShort(cause: unknown): GatewayError {
  return new GatewayError(503, "The HTTP request was aborted because its stream stopped", { cause });
}

/** A `GatewayError` already describes the problem; the texts of other errors only go to the log. */
function explain(error: unknown, url: URL, isLate: boolean): GatewayError {
  if (error instanceof GatewayError) return error;
  const answer = isLate ? "The HTTP request took too long" : "The HTTP request failed";
  return new GatewayError(502, `${url.href}: ${answer}`, { answer, cause: error });
}

/** A response that counts as a failure. Its message is that of the reference engine, with the address and the body. */
export class UnexpectedReply extends GatewayError {
  /** The status of the response. */
  readonly replied: number;

  constructor(url: URL, replied: number, body: string, options: { readonly retryable: boolean }) {
    const status = `${replied} ${STATUS_CODES[replied] ?? ""}`.trimEnd();
    const code = `HTTP request returned unexpected response code (${replied}): ${status}`;
    super(502, `${url.href}: ${code}, Error: ${body.replaceAll("\n", "")}`, {
      ...options,
      answer: `The HTTP request was answered with status ${replied}`,
    });
    this.replied = replied;
  }
}

/** The most bytes of a response that an error text quotes. */
const mostQuoted = 64 * 1024;

/** Reads the beginning of a body as text. The status already decides: an unreadable rest of the body is left out. */
async function readQuote(body: Readable): Promise<string> {
  const pieces = new Pieces();
  try {
    for await (const chunk of body.iterator({ destroyOnReturn: false })) {
      pieces.add(chunk);
      if (pieces.length >= mostQuoted) break;
    }
  } catch (error) {
    if (!body.errored) throw error;
  }
  return asBuffer(pieces.take(mostQuoted)).toString();
}

/**
 * Returns a function that sends requests with the configured credentials; renews refused credentials once. Rejects when
 * `cut` is aborted, as the signal of a request without credentials is.
 */
function createSigner(
  { oauth, oauth2, basic_auth, jwt }: HttpRequestSettings,
  send: Send,
  dump: Dump | undefined,
): (request: OutgoingRequest, signal: AbortState, requester: Requester) => Promise<IncomingReply> {
  const all = [oauth2, basic_auth, jwt, oauth].filter((each) => each !== undefined);
  if (all.length === 0 && dump === undefined) return send;

  async function sendOnce(request: OutgoingRequest, signal: AbortState, log: Requester["log"]) {
    for (const credentials of all) await credentials.apply(request, send);
    dump?.sent(request, log);
    const reply = await send(request, signal);
    dump?.received(reply.status, reply.headers, log);
    return reply;
  }

  async function sendSigned(request: OutgoingRequest, signal: AbortState, log: Requester["log"]) {
    const signed = { ...request, headers: new Map(request.headers) };
    const reply = await sendOnce(signed, signal, log);
    if (reply.status !== 401 || !all.some((each) => renews(each, signed))) return reply;
    discardBody(reply.body);
    return sendOnce(signed, signal, log);
  }

  return (request, signal, { log, cut }) => {
    const work = sendSigned(request, signal, log);
    return cut === undefined ? work : unlessAborted(work, cut);
  };
}

function renews(credentials: Credentials, refused: OutgoingRequest): boolean {
  return credentials.renew?.(refused) === true;
}
