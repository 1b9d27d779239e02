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
import { askedPause, type HttpRequestSettings, judge, type ReplyVerdict } from "./settings.ts";

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
  /** As `call`, but leaves the body open until `cut` is aborted; from then on, no time limit applies. */
  open(request: OutgoingRequest, requester: Requester, cut: AbortSignal): Promise<IncomingReply & HttpHead>;
  /** Closes the connections; no request may be sent afterwards. */
  close(): void;
}

type HttpHead = Omit<HttpReply, "body">;

/**
 * Returns a caller. Reads certificates immediately and throws a `GatewayError` if they are not valid; opens no
 * connection before the first call.
 */
export function createCaller(settings: HttpRequestSettings): HttpCaller {
  const { proxy_url: proxy, transport, timeout } = settings;
  const limits = timeout > 0 ? new TimeLimits(timeout) : undefined;
  const { send, close } = createExchanger({
    tls: tlsOptions(settings.tls),
    proxy,
    transport: completeTransport(transport),
  });
  const dump = createDump(settings.dump_request_log_level);
  const sign = createSigner(settings, send, dump);
  const { extract_headers: isExtracted } = settings;

  /** Makes one attempt; the time limit applies until `read` is done. */
  async function attempt<T>(
    request: OutgoingRequest,
    { log, cut }: Requester,
    read: (reply: IncomingReply) => Promise<T>,
    outer?: AbortSignal,
  ): Promise<Attempt<T>> {
    const limit: Limit =
      outer === undefined ? new AttemptLimit(limits, cut) : { signal: outer, end: () => undefined };
    let isAnswered = false;
    try {
      const reply = await (cut === undefined
        ? sign(request, limit.signal, log)
        : unlessAborted(sign(request, limit.signal, log), cut));
      const verdict = judge(reply.status, settings);
      if (verdict === "success") {
        isAnswered = true;
        return { verdict, result: await read(reply) };
      }
      // A body that is left open has no time limit, and only errors about messages quote a body.
      const quote = outer === undefined ? await readQuote(reply.body) : "";
      reply.body.resume();
      const failure = new UnexpectedReply(request.url, reply.status, quote, {
        retryable: verdict !== "fail",
      });
      return { verdict, failure, asked: askedPause(reply.headers) };
    } catch (error) {
      const failure = cut?.aborted ? cutShort(error) : explain(error, request.url, limit.signal.aborted);
      if (isAnswered) throw failure;
      return { verdict: "repeat", failure, asked: 0 };
    } finally {
      limit.end();
    }
  }

  async function repeat<T>(attemptOnce: () => Promise<Attempt<T>>, requester: Requester): Promise<T> {
    const { retries, retry_period, max_retry_backoff: longest, rate_limit } = settings;
    const stop = requester.signal;
    const backoff = createBackoff({ first: retry_period, longest });
    for (let attempts = 0; ; attempts += 1) {
      if (rate_limit !== undefined) await waitForLimit(rate_limit, 0, requester);
      const outcome = await attemptOnce();
      if (outcome.verdict === "success") return outcome.result;
      const isLast = attempts >= retries || stop.aborted || requester.cut?.aborted === true;
      if (outcome.verdict === "fail" || isLast) throw outcome.failure;
      const own = outcome.verdict === "grow" ? backoff.next() : retry_period;
      // Respects the pause that the server requests, up to the longest pause that the document allows.
      await pause(Math.max(own, Math.min(outcome.asked, longest)), stop);
      if (stop.aborted) throw outcome.failure;
    }
  }

  function headOf({ status, headers }: IncomingReply): HttpHead {
    const metadata = new Map<string, Value>();
    for (const [name, value] of isExtracted === undefined ? [] : Object.entries(headers)) {
      if (value !== undefined && isExtracted?.(name))
        metadata.set(name, fieldText([value].flat().join(", ")));
    }
    metadata.set("http_status_code", status);
    return { status, contentType: headers["content-type"] ?? "", metadata };
  }

  return {
    call(request, requester) {
      const read = async (reply: IncomingReply) => {
        const body = await collect(reply);
        dump?.body(body, requester.log);
        return { ...headOf(reply), body };
      };
      return repeat(() => attempt(request, requester, read), requester);
    },
    open(request, requester, cut) {
      const read = async (reply: IncomingReply) => ({
        headers: reply.headers,
        body: reply.body,
        ...headOf(reply),
      });
      return repeat(() => attempt(request, requester, read, cut), requester);
    },
    close() {
      close();
      limits?.close();
    },
  };
}

/**
 * Reads the whole body of a response. A body above the size limit fails the message permanently, since it would be as
 * large the next time; a body that the process has no memory for now fails only the attempt.
 */
function collect(reply: IncomingReply): Promise<Buffer> {
  const limit = Math.min(answerLimit.bytes, bodyBudget.limit);
  const hold = bodyBudget.hold();
  const pieces = new Pieces();
  let isOver = false;
  return new Promise((resolve, reject) => {
    const fail = (reason: unknown) => {
      if (isOver) return;
      isOver = true;
      hold.release();
      reject(reason);
      reply.body.destroy();
    };
    const sink: BodySink = {
      add(chunk) {
        if (isOver) return;
        if (pieces.length + chunk.length > limit) return fail(answerTooLarge(limit));
        const refused = hold.take(chunk.length);
        if (refused !== undefined)
          return fail(new GatewayError(502, "The answer is too large for now", { cause: refused }));
        pieces.add(chunk);
      },
      end() {
        if (isOver) return;
        isOver = true;
        hold.release();
        resolve(asBuffer(pieces.takeAll()));
      },
      breakOff() {
        if (!isOver) fail(reply.body.errored ?? new Error("the answer was cut off"));
      },
    };
    if (reply.divert?.(sink) === true) return;
    const { body } = reply;
    // Uses events: an iterator would cost as much as the rest of a short response.
    body.on("data", sink.add).on("end", sink.end).on("error", fail).on("close", sink.breakOff);
    // A stream that is already closed emits no further event.
    if (body.closed) sink.breakOff();
  });
}

function answerTooLarge(limit: number): GatewayError {
  const message = `The answer is larger than ${limit} bytes, the limit of answers (limits.max_answer_bytes)`;
  return new GatewayError(502, message, { retryable: false });
}

type Attempt<T> =
  | { readonly verdict: "success"; readonly result: T }
  | {
      readonly verdict: Exclude<ReplyVerdict, "success">;
      readonly failure: GatewayError;
      readonly asked: number;
    };

interface Limit {
  readonly signal: AbortState;
  end(): void;
}

/** Aborted after the time limit, if there is one, or together with `cut`. */
class AttemptLimit extends Limited implements Limit, AbortState {
  aborted = false;
  reason: unknown = undefined;
  readonly #listeners = new Set<() => void>();
  readonly #limits: TimeLimits | undefined;
  readonly #cut: AbortSignal | undefined;
  readonly #abort = () => {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = this.#cut?.aborted ? this.#cut.reason : new Error("the request timed out");
    for (const listener of this.#listeners) listener();
  };

  constructor(limits: TimeLimits | undefined, cut: AbortSignal | undefined) {
    super();
    this.#limits = limits;
    limits?.begin(this);
    this.#cut = cut;
    if (cut?.aborted) this.#abort();
    cut?.addEventListener("abort", this.#abort, { once: true });
  }

  get signal(): AbortState {
    return this;
  }

  addEventListener(_type: "abort", listener: () => void): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    this.#listeners.delete(listener);
  }

  onTimeout(): void {
    this.#abort();
  }

  end(): void {
    this.#limits?.leave(this); // an idle timer would keep a process alive that has nothing left to do
    this.#cut?.removeEventListener("abort", this.#abort);
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

/** Returns a function that sends requests with the configured credentials; renews refused credentials once. */
function createSigner(
  { oauth, oauth2, basic_auth, jwt }: HttpRequestSettings,
  send: Send,
  dump: Dump | undefined,
): (request: OutgoingRequest, signal: AbortState, log: Requester["log"]) => Promise<IncomingReply> {
  const all = [oauth2, basic_auth, jwt, oauth].filter((each) => each !== undefined);
  if (all.length === 0 && dump === undefined) return send;

  async function sendOnce(request: OutgoingRequest, signal: AbortState, log: Requester["log"]) {
    for (const credentials of all) await credentials.apply(request, send);
    dump?.sent(request, log);
    const reply = await send(request, signal);
    dump?.received(reply.status, reply.headers, log);
    return reply;
  }

  return async (request, signal, log) => {
    const signed = { ...request, headers: new Map(request.headers) };
    const reply = await sendOnce(signed, signal, log);
    if (reply.status !== 401 || !all.some((each) => renews(each, signed))) return reply;
    reply.body.resume();
    return sendOnce(signed, signal, log);
  };
}

function renews(credentials: Credentials, refused: OutgoingRequest): boolean {
  return credentials.renew?.(refused) === true;
}
