// Requests and responses of HTTP/2 (RFC 9113, section 8) in the form of those of HTTP/1.1, for the rest of the gateway.

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

/** Bytes of the requests of a connection, heads and bodies, by session. */
const received = /* @__PURE__ */ new WeakMap<Http2Session, number>();

/** Counts bytes of a request. */
export function countReceived(session: Http2Session | undefined, bytes: number): void {
  if (session !== undefined) received.set(session, receivedOf(session) + bytes);
}

/** Returns the bytes of all requests of a connection so far. */
export function receivedOf(session: Http2Session): number {
  return received.get(session) ?? 0;
}

/**
 * A request without pseudo-headers: its authority becomes the header `Host`, and a body of unknown length gets
 * `Transfer-Encoding`, as in HTTP/2 only frames tell that it exists. Repeated headers are joined. A `Host` that
 * contradicts the authority is joined with it, so that the result is not a valid host. A body that is cut off fails;
 * with Node's class it would end like a complete one.
 */
export class Http2Request extends Http2ServerRequest {
  #isWhole = false;
  /** Bytes by which the frames fall short of their minimum content; `undefined` once they fell too short. */
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
    // A client that finished its body leaves the stream open; a client that resets the stream closes it.
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

/** A response with the members of `ServerResponse` that Node's class lacks. */
export class Http2Response<R extends Http2ServerRequest = Http2ServerRequest> extends Http2ServerResponse<R> {
  constructor(stream: ServerHttp2Stream) {
    super(stream);
    Object.defineProperties(this, {
      destroyed: { get: () => stream.destroyed || stream.closed },
      closed: { get: () => stream.closed },
      // Sessions send immediately anyway, and their sockets refuse this option.
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

  /** Accepts pairs, too, like `ServerResponse`. */
  override addTrailers(trailers: OutgoingHttpHeaders | [string, string][]): void {
    super.addTrailers(Array.isArray(trailers) ? Object.fromEntries(trailers) : trailers);
  }

  /** Accepts the arguments of `ServerResponse`; HTTP/2 has no status message. */
  override writeHead(status: number, ...rest: readonly unknown[]): this {
    super.writeHead(status, withoutConnection(rest.at(-1)));
    return this;
  }

  /** Resets the stream, so that the client does not take a partial response for a complete one. */
  override destroy(): this {
    this.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    return this;
  }
}

/** Headers about the connection, which HTTP/2 forbids (RFC 9113, section 8.2.2). */
const ofConnection = /* @__PURE__ */ new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "transfer-encoding",
  "upgrade",
]);

/** Returns headers without those of the connection. `headers`: an object, or a flat list of names and values. */
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

/** Joins repeated fields, with the same meaning (RFC 9110, section 5.3): Node.js refuses repetition of some of them. */
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

/** Joins repeated headers. Cookies may be split over several lines (RFC 9113, section 8.2.3). */
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
