// Requests that are repeated by rules on the reply: what the HTTP client connector and processor share.

import { createBackoff, pause } from "./backoff.ts";
import { type Text, textOf } from "./component.ts";
import { GatewayError } from "./errors.ts";
import type { Logger } from "./log.ts";
import type { Batch, Message } from "./message.ts";
import { findMetadata } from "./metadata.ts";
import { waitForLimit } from "./rate-limit-wait.ts";
import type { RateLimit } from "./resource.ts";
import { encodeUtf8 } from "./utf8.ts";
import type { Value } from "./value.ts";

/** What a request is made of and when it is repeated; times in milliseconds. */
export interface RequestSettings {
  readonly url: Text;
  readonly verb: string;
  readonly headers?: Readonly<Record<string, Text>>;
  /** The body in place of the message. */
  readonly payload?: Text;
  /** Of one attempt, the reading of the reply included; 0 waits without end. */
  readonly timeout: number;
  /** Attempts after the first. */
  readonly retries: number;
  readonly retry_period: number;
  readonly max_retry_backoff: number;
  readonly backoff_on: readonly number[];
  readonly drop_on: readonly number[];
  readonly successful_on: readonly number[];
  readonly extract_headers?: HeaderFilter;
  /** Lets each attempt through. */
  readonly rate_limit?: RateLimit;
}

/** Who requests. */
export interface Requester {
  readonly log: Logger;
  /** Ends pauses; an attempt under way is finished. */
  readonly signal: AbortSignal;
}

/** Which headers of a reply become metadata, by their name in lower case. */
export interface HeaderFilter {
  readonly include_prefixes?: readonly string[];
  readonly include_patterns?: readonly string[];
}

/** A reply that counts as success. */
export interface HttpReply {
  readonly body: Uint8Array;
  /** `http_status_code`, and the headers the filter lets through. */
  readonly metadata: ReadonlyMap<string, Value>;
}

/** What the rules say about a status. */
type Verdict = "success" | "fail" | "grow" | "repeat";

/**
 * Requests made as `settings` say. A request is fixed text and message `index` of `batch`; its body is
 * `payload`, else the message; GET and HEAD have none. Gives the first successful reply. Rejects with a
 * `GatewayError` after the last attempt, at once on a status of `drop_on`, and without further attempts
 * once the signal is aborted.
 */
export function createRequester(
  settings: RequestSettings,
): (batch: Batch, index: number, requester: Requester) => Promise<HttpReply> {
  const extracted = createNameFilter(settings.extract_headers);
  return async (batch, index, requester) => {
    const stop = requester.signal;
    const request = describeRequest(settings, batch, index);
    const backoff = createBackoff({ first: settings.retry_period, longest: settings.max_retry_backoff });
    for (let attempt = 0; ; attempt++) {
      if (settings.rate_limit !== undefined) await waitForLimit(settings.rate_limit, 0, requester);
      const { reply, verdict, failure } = await attemptRequest(request, settings, extracted);
      if (reply !== undefined) return reply;
      if (verdict === "fail" || attempt >= settings.retries || stop.aborted) throw failure;
      await pause(verdict === "grow" ? backoff.next() : settings.retry_period, stop);
      if (stop.aborted) throw failure;
    }
  };
}

interface Attempt {
  readonly reply?: HttpReply;
  readonly verdict: Verdict;
  readonly failure?: GatewayError;
}

async function attemptRequest(
  request: Request,
  settings: RequestSettings,
  extracted: (name: string) => boolean,
): Promise<Attempt> {
  const cut = new AbortController();
  const timer = settings.timeout > 0 ? setTimeout(() => cut.abort(), settings.timeout) : undefined;
  try {
    const response = await fetch(request.clone(), { signal: cut.signal });
    const verdict = judge(response.status, settings);
    if (verdict === "success") return { verdict, reply: await readReply(response, extracted) };
    await response.body?.cancel();
    const message = `The HTTP request was answered with status ${response.status}`;
    return { verdict, failure: new GatewayError(502, message, { retryable: verdict !== "fail" }) };
  } catch (error) {
    const message = cut.signal.aborted ? "The HTTP request took too long" : "The HTTP request failed";
    return { verdict: "repeat", failure: new GatewayError(502, message, { cause: error }) };
  } finally {
    clearTimeout(timer);
  }
}

/** The order counts: a status in several lists is what the first of them says. */
function judge(status: number, { drop_on, backoff_on, successful_on }: RequestSettings): Verdict {
  if (drop_on.includes(status)) return "fail";
  if (backoff_on.includes(status)) return "grow";
  if (successful_on.includes(status) || (status >= 200 && status < 300)) return "success";
  return "repeat";
}

async function readReply(response: Response, extracted: (name: string) => boolean): Promise<HttpReply> {
  const metadata = new Map<string, Value>();
  for (const [name, value] of response.headers) if (extracted(name)) metadata.set(name, value);
  metadata.set("http_status_code", response.status);
  return { body: new Uint8Array(await response.arrayBuffer()), metadata };
}

function describeRequest(settings: RequestSettings, batch: Batch, index: number): Request {
  const { verb, payload } = settings;
  const url = URL.parse(textOf(settings.url, batch, index));
  if (url === null) throw unmakeable("its URL cannot be read");
  const headers = new Headers();
  for (const [name, value] of Object.entries(settings.headers ?? {})) {
    addHeader(headers, name, textOf(value, batch, index));
  }
  moveCredentials(url, headers);
  const message = batch[index];
  const hasBody = verb !== "GET" && verb !== "HEAD" && message !== undefined;
  if (!hasBody) return new Request(url, { method: verb, headers });
  const body = payload === undefined ? message.bytes() : encodeUtf8(textOf(payload, batch, index));
  if (!headers.has("content-type")) headers.set("content-type", contentType(message));
  return new Request(url, { method: verb, headers, body: bodyOf(body) });
}

/** Without what the platform says: it quotes addresses and headers, which hold content and credentials. */
function unmakeable(reason: string): GatewayError {
  return new GatewayError(502, `The HTTP request cannot be made: ${reason}`, { retryable: false });
}

function addHeader(headers: Headers, name: string, value: string): void {
  try {
    headers.append(name, value);
  } catch {
    throw unmakeable(`its header \`${name}\` holds characters that headers cannot hold`);
  }
}

/** `fetch` refuses addresses with a user and password; they are sent as clients have always sent them. */
function moveCredentials(url: URL, headers: Headers): void {
  if (url.username === "" && url.password === "") return;
  if (!headers.has("authorization")) {
    const pair = `${decode(url.username)}:${decode(url.password)}`;
    headers.set("authorization", `Basic ${Buffer.from(pair).toString("base64")}`);
  }
  url.username = "";
  url.password = "";
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a percent sign that stands for itself
  }
}

/** The type that travelled with the message. */
function contentType(message: Message): string {
  return findMetadata(message.metadata, "Content-Type") ?? "application/octet-stream";
}

/** `fetch` takes bytes of an `ArrayBuffer` only, which ours might not be by their type. */
function bodyOf(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer
    ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    : new Uint8Array(bytes);
}

function createNameFilter(filter: HeaderFilter = {}): (name: string) => boolean {
  const prefixes = filter.include_prefixes ?? [];
  const patterns = (filter.include_patterns ?? []).map((pattern) => new RegExp(pattern));
  return (name) =>
    prefixes.some((prefix) => name.startsWith(prefix)) || patterns.some((pattern) => pattern.test(name));
}
