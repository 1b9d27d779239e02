// The response to a request on a connection of `wire.ts`.

import type { IncomingHttpHeaders } from "node:http";
import { pipeline, Readable } from "node:stream";
import type { BodySink } from "../http/gateway-messages.ts";
import { decodeAtOnce, encodingsOf } from "../message/content-encoding.ts";
import type { IncomingReply } from "./request.ts";

/** The connection of a response. */
interface ReadConnection {
  pause(): void;
  /** Called when more of the body of `reply` can be stored. */
  resume(reply: WireReply): void;
  destroy(): void;
}

/** The most bytes of a body that are stored while nothing reads it. */
const mostStored = 64 * 1024;

/** The response to a request. */
export class WireReply implements IncomingReply {
  readonly status: number;
  readonly #fields: readonly string[];
  #headers: IncomingHttpHeaders | undefined;
  readonly #wire: ReadConnection;
  readonly #verb: string;
  #body: Readable | undefined;
  #stored: Buffer[] = [];
  #storedBytes = 0;
  #sink: BodySink | undefined;
  #stream: Readable | undefined;
  #isComplete = false;
  #error: Error | undefined;

  constructor(wire: ReadConnection, verb: string, status: number, fields: readonly string[]) {
    this.#wire = wire;
    this.#verb = verb;
    this.status = status;
    this.#fields = fields;
  }

  /** Joining all fields costs more than finding the few that are read from every response. */
  get headers(): IncomingHttpHeaders {
    this.#headers ??= joinFields(this.#fields);
    return this.#headers;
  }

  first(name: string): string | undefined {
    const fields = this.#fields;
    for (let at = 0; at + 1 < fields.length; at += 2) {
      const each = fields[at] ?? "";
      if (each.length === name.length && (each === name || each.toLowerCase() === name))
        return fields[at + 1];
    }
    return undefined;
  }

  /** The unpacked body. If it is destroyed before its end, so is the connection. */
  get body(): Readable {
    this.#body ??= unpackBody(this.#asStream(), this.#verb, this.status, this.headers);
    return this.#body;
  }

  divert(sink: BodySink): boolean {
    if (this.#stream !== undefined || this.#sink !== undefined) return false;
    if (this.first("content-encoding") !== undefined && !this.#unpackAtOnce()) return false;
    const stored = this.#stored;
    this.#stored = [];
    this.#sink = sink;
    for (const chunk of stored) sink.add(chunk);
    if (this.#isComplete) sink.end();
    else if (this.#error !== undefined) sink.breakOff();
    else this.#wire.resume(this);
    return true;
  }

  /** Unpacks a short body that is complete. Returns false if it has to be read as a stream. */
  #unpackAtOnce(): boolean {
    const encodings = encodingsOf(this.headers["content-encoding"]) ?? [];
    const [body, ...others] = this.#stored;
    if (!this.#isComplete || body === undefined || others.length > 0 || isBodiless(this.#verb, this.status))
      return false;
    const unpacked = decodeAtOnce(encodings, body);
    if (unpacked === undefined) return false;
    this.#stored = [unpacked];
    return true;
  }

  #asStream(): Readable {
    if (this.#stream !== undefined) return this.#stream;
    const stream = new Readable({
      read: () => this.#wire.resume(this),
      destroy: (error, callback) => {
        if (!this.#isComplete) this.#wire.destroy();
        // As in Node, nothing is thrown for a response that nothing reads any more.
        callback(stream.listenerCount("error") === 0 ? null : error);
      },
    });
    this.#stream = stream;
    for (const chunk of this.#stored) stream.push(chunk);
    this.#stored = [];
    if (this.#isComplete) stream.push(null);
    else if (this.#error !== undefined) stream.destroy(this.#error);
    return stream;
  }

  /** Called with each piece of the body. */
  add(chunk: Buffer): void {
    if (this.#sink !== undefined) this.#sink.add(chunk);
    else if (this.#stream !== undefined) {
      if (!this.#stream.push(chunk)) this.#wire.pause();
    } else {
      this.#stored.push(chunk);
      this.#storedBytes += chunk.length;
      if (this.#storedBytes >= mostStored) this.#wire.pause();
    }
  }

  /** Called at the end of the body. */
  end(): void {
    this.#isComplete = true;
    this.#sink?.end();
    this.#stream?.push(null);
  }

  /** Called if the connection is lost before the end of the body. */
  breakOff(error: Error): void {
    this.#error = error;
    this.#sink?.breakOff();
    this.#stream?.destroy(error);
  }
}

/** Returns the transfer codings of a response in one text; `undefined` if it has none. */
export function transferCodings(fields: readonly string[]): string | undefined {
  let codings: string | undefined;
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const name = fields[at] ?? "";
    if (name.length !== 17 || name.toLowerCase() !== "transfer-encoding") continue;
    codings = codings === undefined ? fields[at + 1] : `${codings}, ${fields[at + 1]}`;
  }
  return codings;
}

/** Of these fields, only the first counts; of others, all values are joined, as Node does. */
const single: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "age",
  "authorization",
  "content-length",
  "content-type",
  "etag",
  "expires",
  "from",
  "host",
  "if-modified-since",
  "if-unmodified-since",
  "last-modified",
  "location",
  "max-forwards",
  "proxy-authorization",
  "referer",
  "retry-after",
  "server",
  "user-agent",
]);

function joinFields(fields: readonly string[]): IncomingHttpHeaders {
  const joined: IncomingHttpHeaders = Object.create(null);
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const name = (fields[at] ?? "").toLowerCase();
    const value = fields[at + 1] ?? "";
    const present = joined[name];
    if (name === "set-cookie") {
      if (joined[name] === undefined) joined[name] = [value];
      else joined[name].push(value);
    } else if (present === undefined) joined[name] = value;
    else if (!single.has(name)) joined[name] = `${present}${name === "cookie" ? "; " : ", "}${value}`;
  }
  return joined;
}

/** Whether a response has no body, but may name the encoding that its body would have. */
function isBodiless(verb: string, status: number): boolean {
  return verb === "HEAD" || status === 204 || status === 304;
}

/** Returns the body of a response, decompressed. */
export function unpackBody(
  body: Readable,
  verb: string,
  status: number,
  headers: IncomingHttpHeaders,
): Readable {
  if (isBodiless(verb, status)) return body;
  const unpackers = encodingsOf(headers["content-encoding"])?.map((encoding) => encoding.stream());
  const last = unpackers?.at(-1);
  if (unpackers === undefined || last === undefined) return body; // no encoding, or an unknown one
  // Reading the last stream fails if any of the streams fails.
  pipeline([body, ...unpackers], () => undefined);
  // A body may be invalid after its reader has left, or be discarded, as that of a redirect.
  last.on("error", () => undefined);
  return last;
}

/** The most bytes of a body that are read only so that its connection can be used again, and the milliseconds for that. */
const mostDiscarded = { bytes: 64 * 1024, time: 1_000 };

/** Discards the rest of a body. If it does not end soon, closes its connection: a server may send without an end. */
export function discardBody(body: Readable): void {
  if (body.closed) return;
  let left = mostDiscarded.bytes;
  const patience = setTimeout(() => body.destroy(), mostDiscarded.time).unref();
  body
    .on("data", (chunk: Buffer) => {
      left -= chunk.length;
      if (left < 0) body.destroy();
    })
    .once("close", () => clearTimeout(patience))
    .resume();
}
