// Reads the body of a request, decompressed, up to a limit.

import type { IncomingMessage } from "node:http";
import { type Duplex, Readable } from "node:stream";
import { GatewayError } from "../errors.ts";
import {
  decodeAtOnce,
  type Encoding,
  encodingsOf,
  shortBody,
  supportedEncodings,
} from "../message/content-encoding.ts";
import { type Hold, Pieces } from "../process/memory/body-budget.ts";
import { asBuffer } from "../text/utf8.ts";
import { type BodySink, discardBody, GatewayRequest } from "./gateway-messages.ts";

/** Receives the whole body, or the error if it cannot be read. */
export type TakeBody = (body: Buffer | GatewayError) => void;

/** Like `collectBody`, as a promise that never rejects. */
export function readBody(
  request: IncomingMessage,
  limit: number,
  hold: Hold,
): Promise<Buffer | GatewayError> {
  return new Promise((resolve) => collectBody(request, limit, hold, resolve));
}

/**
 * Reads the whole body and calls `take` once: with the body, or with an error: 413 if it is larger than `limit` bytes
 * (compressed or decompressed), 503 if the process holds as many bytes as it may, which `hold` counts as they arrive,
 * 415 for an unknown encoding, 400 if the body is malformed or cut off. The rest of a refused body is read and
 * discarded, so that the client gets the response.
 */
export function collectBody(request: IncomingMessage, limit: number, hold: Hold, take: TakeBody): void {
  const { "content-encoding": encoding, "content-length": length } = request.headers;
  const encodings = encoding === undefined ? none : encodingsOf(encoding);
  if (encodings === undefined) {
    const unknown = new GatewayError(415, "Content-Encoding is not supported", { headers: accepted });
    refuse(request, unknown, take);
  } else if (length !== undefined && isAbove(length, limit)) refuse(request, tooLarge(), take);
  else new BodyReader(request, limit, hold, take, encodings).read();
}

const none: readonly never[] = [];

/** Whether a length in digits is above `limit`. With fewer digits it need not be converted. */
function isAbove(length: string, limit: number): boolean {
  return length.length >= String(limit).length && Number(length) > limit;
}

const accepted = { "accept-encoding": supportedEncodings };

function refuse(request: IncomingMessage, error: GatewayError, take: TakeBody): void {
  discardBody(request);
  take(error);
}

/** A body that is being read. */
class BodyReader implements BodySink {
  readonly #request: IncomingMessage;
  readonly #limit: number;
  readonly #hold: Hold;
  readonly #take: TakeBody;
  readonly #encodings: readonly Encoding[];
  /** The streams that decompress the body, if any do. */
  #layers: readonly Duplex[] = none;
  #pieces = new Pieces();
  #finished = false;

  constructor(
    request: IncomingMessage,
    limit: number,
    hold: Hold,
    take: TakeBody,
    encodings: readonly Encoding[],
  ) {
    this.#request = request;
    this.#limit = limit;
    this.#hold = hold;
    this.#take = take;
    this.#encodings = encodings;
  }

  read(): void {
    const request = this.#request;
    if (request instanceof GatewayRequest) {
      if (this.#encodings.length === 0) {
        if (request.divert(this)) return;
      } else if (isShort(request) && request.divert(new ShortBody((body) => this.#decode(body)))) return;
    }
    this.#readStream(request);
    request.on("close", () => {
      if (!request.complete) this.breakOff();
    });
  }

  /** Decodes a whole body; `undefined` if the connection was lost before its end. */
  #decode(body: Buffer | undefined): void {
    const decoded = body && decodeAtOnce(this.#encodings, body);
    if (body === undefined) this.breakOff();
    else if (decoded === undefined) this.#readStream(Readable.from([body]));
    else {
      this.add(decoded);
      this.end();
    }
  }

  #readStream(body: Readable): void {
    this.#layers = this.#encodings.map((encoding) => encoding.stream());
    const unpacked = this.#layers.reduce<Readable>((source, layer) => source.pipe(layer), body);
    unpacked.on("data", (chunk: Buffer) => this.add(chunk));
    unpacked.on("end", () => this.end());
    for (const layer of this.#layers) layer.on("error", () => this.breakOff());
  }

  add(chunk: Buffer): void {
    if (this.#finished) return;
    const size = this.#pieces.length + chunk.length;
    const refused = size > this.#limit ? tooLarge() : this.#hold.take(chunk.length);
    if (refused !== undefined) this.#refuse(refused);
    else this.#pieces.add(chunk);
  }

  end(): void {
    if (this.#finished) return;
    this.#finished = true;
    this.#take(asBuffer(this.#pieces.takeAll()));
  }

  breakOff(): void {
    this.#refuse(broken());
  }

  /** Reports the error; the rest of the body is read and discarded. */
  #refuse(error: GatewayError): void {
    if (this.#finished) return;
    this.#finished = true;
    this.#pieces = new Pieces();
    this.#hold.clear();
    this.#request.unpipe();
    for (const layer of this.#layers) layer.destroy();
    this.#request.resume();
    this.#take(error);
  }
}

/** Whether the body has a length, and is short enough to be decoded at once. */
function isShort({ headers }: IncomingMessage): boolean {
  const { "content-length": length } = headers;
  return length !== undefined && !isAbove(length, shortBody);
}

/** Collects a short body, still encoded. */
class ShortBody implements BodySink {
  readonly #take: (body: Buffer | undefined) => void;
  readonly #pieces = new Pieces();

  constructor(take: (body: Buffer | undefined) => void) {
    this.#take = take;
  }

  add(chunk: Buffer): void {
    this.#pieces.add(chunk);
  }

  end(): void {
    this.#take(asBuffer(this.#pieces.takeAll()));
  }

  breakOff(): void {
    this.#take(undefined);
  }
}

function tooLarge(): GatewayError {
  return new GatewayError(413, "Request body is too large");
}

function broken(): GatewayError {
  return new GatewayError(400, "Request body is malformed");
}
