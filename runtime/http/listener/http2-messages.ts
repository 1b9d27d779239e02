// Requests and responses of HTTP/2 as the rest of the gateway knows them: as those of HTTP/1.1.

import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import {
  constants,
  type IncomingHttpHeaders as Http2Headers,
  Http2ServerRequest,
  Http2ServerResponse,
  type Http2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { ReadableOptions } from "node:stream";
import { countPieces } from "../../concurrency/allowance.ts";

/** Bytes of the requests of a connection, heads and bodies, by its session. */
const received = /* @__PURE__ */ new WeakMap<Http2Session, number>();

/** Takes note of a part of a request. */
export function countReceived(session: Http2Session | undefined, bytes: number): void {
  if (session !== undefined) received.set(session, receivedOf(session) + bytes);
}

/** Bytes of all requests of a connection so far. */
export function receivedOf(session: Http2Session): number {
  return received.get(session) ?? 0;
}

/**
 * A request without pseudo-headers: its authority is the header `Host`, and a body of unknown length says so, which
 * HTTP/2 tells by frames. Headers that come twice are joined. A `Host` that contradicts the authority is joined with
 * it, which makes it no host. A body that is cut off fails, where Node's class would let it end like a whole one.
 */
export class Http2Request extends Http2ServerRequest {
  #isWhole = false;
  /** Bytes by which its frames fall short of what they have to carry. */
  #short: number | undefined = 0;

  constructor(
    stream: ServerHttp2Stream,
    headers: Http2Headers,
    options: ReadableOptions,
    rawHeaders: readonly string[],
  ) {
    super(stream, headers, options, rawHeaders);
    const raw = plainHeaders(stream, headers, rawHeaders);
    Object.defineProperties(this, {
      headers: { value: joinHeaders(raw) },
      rawHeaders: { value: raw },
      complete: { get: () => this.#isWhole },
    });
  }

  override push(chunk: unknown, encoding?: BufferEncoding): boolean {
    if (chunk instanceof Buffer) this.#count(chunk.length);
    if (chunk !== null || this.#isWhole) return super.push(chunk, encoding);
    // A client that is done ends its side and leaves the stream open; one that resets it closes it.
    if (!this.stream.closed) {
      this.#isWhole = true;
      return super.push(null);
    }
    this.destroy(this.listenerCount("error") > 0 ? new Error("the request was cut off") : undefined);
    return false;
  }

  #count(bytes: number): void {
    const { session } = this.stream;
    countReceived(session, bytes);
    if (this.#short === undefined || session === undefined) return;
    this.#short = countPieces(session, this.#short, 1, bytes);
    if (this.#short === undefined) session.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM);
  }
}

/** A response with what `ServerResponse` has besides. */
export class Http2Response<R extends Http2ServerRequest = Http2ServerRequest> extends Http2ServerResponse<R> {
  constructor(stream: ServerHttp2Stream) {
    super(stream);
    Object.defineProperties(this, {
      destroyed: { get: () => stream.destroyed || stream.closed },
      closed: { get: () => stream.closed },
      // Sessions send at once anyway, and their sockets refuse this option.
      socket: { value: undefined },
    });
  }

  override setHeader(name: string, value: number | string | readonly string[]): this {
    const key = name.toLowerCase();
    if (!ofConnection.has(key))
      super.setHeader(name, typeof value === "object" ? onOneLine(key, value) : value);
    return this;
  }

  override appendHeader(name: string, value: string | readonly string[]): this {
    const present = this.getHeader(name) as string | string[] | undefined;
    return this.setHeader(name, present === undefined ? value : [present, value].flat());
  }

  /** Takes pairs, too, as `ServerResponse` does. */
  override addTrailers(trailers: OutgoingHttpHeaders | [string, string][]): void {
    super.addTrailers(Array.isArray(trailers) ? Object.fromEntries(trailers) : trailers);
  }

  /** Takes what `ServerResponse` takes; HTTP/2 has no status message. */
  override writeHead(status: number, ...rest: readonly unknown[]): this {
    super.writeHead(status, withoutConnection(rest.at(-1)));
    return this;
  }

  /** Without the end of the stream, so that what was sent is not taken for all. */
  override destroy(): this {
    this.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    return this;
  }
}

/** What is about the connection has no place in HTTP/2, which refuses it (RFC 9113, section 8.2.2). */
const ofConnection = /* @__PURE__ */ new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "transfer-encoding",
  "upgrade",
]);

/** Headers as an object, or flat with names and values in turn. */
function withoutConnection(headers: unknown): OutgoingHttpHeaders {
  const kept: OutgoingHttpHeaders = Object.create(null);
  if (typeof headers !== "object" || headers === null) return kept;
  const pairs: readonly (readonly [string, unknown])[] = Array.isArray(headers)
    ? Array.from({ length: headers.length / 2 }, (_, at) => [String(headers[2 * at]), headers[2 * at + 1]])
    : Object.entries(headers);
  for (const [name, value] of pairs) {
    const key = name.toLowerCase();
    if (ofConnection.has(key)) continue;
    const values = Array.isArray(value) ? value.map(String) : [String(value)];
    const present = kept[key];
    kept[key] = onOneLine(key, present === undefined ? values : [present, values].flat().map(String));
  }
  return kept;
}

/** Node refuses fields that should not come twice and do; joined they mean the same (RFC 9110, section 5.3). */
function onOneLine(key: string, values: readonly string[]): string | string[] {
  return key === "set-cookie" ? [...values] : values.join(", ");
}

function plainHeaders(
  stream: ServerHttp2Stream,
  headers: Http2Headers,
  rawHeaders: readonly string[],
): string[] {
  const plain: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    if (!name.startsWith(":")) plain.push(name, rawHeaders[index + 1] ?? "");
  }
  const authority = headers[":authority"];
  const isSaid = authority?.toLowerCase() === headers.host?.toLowerCase();
  if (authority !== undefined && !isSaid) plain.push("host", authority);
  const hasBody = !stream.endAfterHeaders;
  if (hasBody && headers["content-length"] === undefined) plain.push("transfer-encoding", "chunked");
  return plain;
}

/** Cookies may be split over several lines (RFC 9113, section 8.2.3). */
function joinHeaders(raw: readonly string[]): IncomingHttpHeaders {
  const joined: IncomingHttpHeaders = Object.create(null);
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = raw[index]?.toLowerCase() ?? "";
    const value = raw[index + 1] ?? "";
    const present = joined[name];
    joined[name] = present === undefined ? value : `${present}${name === "cookie" ? "; " : ", "}${value}`;
  }
  return joined;
}
