// Bytes of a source that are held until a message is whole.

import type { ScannedSource } from "../component/scanner.ts";
import { GatewayError } from "../errors.ts";
import { Message, type Metadata } from "../message/message.ts";
import { Pieces } from "../process/memory/body-budget.ts";

/** Bytes of the largest message that scanners without a limit of their own make. */
export const largestMessage = 128 * 1024 * 1024;

/** A message of bytes that are not changed afterwards. */
export function piece(bytes: Uint8Array, metadata?: Metadata): Message {
  return Message.fromBytes(bytes, metadata);
}

/** What is wrong with a source, for operators. */
export function unfitSource(reason: string, cause?: unknown): GatewayError {
  return new GatewayError(502, reason, { retryable: false, ...(cause !== undefined && { cause }) });
}

/** Reads a source by amounts, holding no more of it than is asked for and what one read brings. */
export class Gathered {
  readonly #source: ScannedSource;
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #pieces = new Pieces();

  constructor(source: ScannedSource) {
    this.#source = source;
    this.#chunks = source.bytes[Symbol.asyncIterator]();
  }

  /** The next bytes, fewer only at the end of the source. Throws where they are more than `largestMessage`. */
  async take(count: number): Promise<Uint8Array> {
    while (this.#pieces.length < count && (await this.#readOn()));
    return this.#pieces.take(count);
  }

  /** Everything up to the end. */
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
