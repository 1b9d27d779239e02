// The body of a request, unpacked, up to a limit.

import type { IncomingMessage } from "node:http";
import type { Duplex, Readable } from "node:stream";
import { GatewayError } from "../errors.ts";
import { supportedEncodings, unpackersOf } from "../message/content-encoding.ts";
import { type Hold, Pieces } from "../process/memory/body-budget.ts";
import { asBuffer } from "../text/utf8.ts";
import { type BodySink, discardBody, GatewayRequest } from "./gateway-messages.ts";

/** Takes the whole body, or why it cannot be had. */
export type TakeBody = (body: Buffer | GatewayError) => void;

/** As `collectBody`, as a promise that never rejects. */
export function readBody(
  request: IncomingMessage,
  limit: number,
  hold: Hold,
): Promise<Buffer | GatewayError> {
  return new Promise((resolve) => collectBody(request, limit, hold, resolve));
}

/**
 * Reads the whole body and calls `take` once: with 413 when it is larger than `limit` bytes (packed or unpacked), 503 when
 * the process holds as many bytes as it may, which `hold` counts as they come, 415 for an unknown encoding, 400 when it is
 * broken or cut off. The rest of a refused body is read and thrown away, so that the client gets to see the answer.
 */
export function collectBody(request: IncomingMessage, limit: number, hold: Hold, take: TakeBody): void {
  const { "content-encoding": encoding, "content-length": length } = request.headers;
  const layers = encoding === undefined ? none : unpackersOf(encoding);
  if (layers === undefined) {
    const unknown = new GatewayError(415, "Content-Encoding is not supported", { headers: accepted });
    refuse(request, unknown, take);
  } else if (length !== undefined && Number(length) > limit) {
    for (const layer of layers) layer.destroy();
    refuse(request, tooLarge(), take);
  } else new BodyReader(request, limit, hold, take, layers).read();
}

const none: readonly never[] = [];

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
  /** What it is unpacked by, in turn; none where it is not packed. */
  readonly #layers: readonly Duplex[];
  #pieces = new Pieces();
  #finished = false;

  constructor(
    request: IncomingMessage,
    limit: number,
    hold: Hold,
    take: TakeBody,
    layers: readonly Duplex[],
  ) {
    this.#request = request;
    this.#limit = limit;
    this.#hold = hold;
    this.#take = take;
    this.#layers = layers;
  }

  read(): void {
    const request = this.#request;
    if (this.#layers.length === 0 && request instanceof GatewayRequest && request.divert(this)) return;
    const unpacked = this.#layers.reduce<Readable>((source, layer) => source.pipe(layer), request);
    unpacked.on("data", (chunk: Buffer) => this.add(chunk));
    unpacked.on("end", () => this.end());
    for (const layer of this.#layers) layer.on("error", () => this.breakOff());
    request.on("close", () => {
      if (!request.complete) this.breakOff();
    });
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

  /** The rest is read and thrown away. */
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

function tooLarge(): GatewayError {
  return new GatewayError(413, "Request body is too large");
}

function broken(): GatewayError {
  return new GatewayError(400, "Request body is broken");
}
