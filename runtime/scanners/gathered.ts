// Collects bytes of a source until a message is complete.

import type { ScannedSource } from "../component/scanner.ts";
import { GatewayError } from "../errors.ts";
import { Message, type Metadata } from "../message/message.ts";
import { Pieces } from "../process/memory/body-budget.ts";

/** The maximum size of a message in bytes, for scanners without their own limit. */
export const largestMessage = 128 * 1024 * 1024;

/** Returns a message of bytes that are not changed afterwards. */
export function piece(bytes: Uint8Array, metadata?: Metadata): Message {
  return Message.fromBytes(bytes, metadata);
}

/** Returns the error for an invalid source, for operators. */
export function unfitSource(reason: string, cause?: unknown): GatewayError {
  return new GatewayError(502, reason, { retryable: false, ...(cause !== undefined && { cause }) });
}

/** Reads a source by amounts. It holds no more than the requested amount and the rest of one chunk. */
export class Gathered {
  readonly #source: ScannedSource;
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #pieces = new Pieces();

  constructor(source: ScannedSource) {
    this.#source = source;
    this.#chunks = source.bytes[Symbol.asyncIterator]();
  }

  /**
   * Returns the next `count` bytes, or fewer at the end of the source. Throws if they are more than `largestMessage`.
   */
  async take(count: number): Promise<Uint8Array> {
    while (this.#pieces.length < count && (await this.#readOn()));
    return this.#pieces.take(count);
  }

  /** Returns all bytes up to the end. */
  async takeAll(): Promise<Uint8Array> {
    while (await this.#readOn());
    return this.#pieces.takeAll();
  }

  /** Stops reading. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  async #readOn(): Promise<boolean> {
    const next = await this.#chunks.next();
    if (next.done === true) return false;
    this.#pieces.add(next.value);
    const { length } = this.#pieces;
    if (length > largestMessage) throw unfitSource(`A message is larger than ${largestMessage} bytes`);
    await this.#source.keep?.(length);
    return true;
  }
}
