// Bytes of a source that are held until a message is whole.

import type { ScannedSource } from "../component/scanner.ts";
import { GatewayError } from "../errors.ts";
import { Message, type Metadata } from "../message/message.ts";

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
  #parts: Uint8Array[] = [];
  #length = 0;

  constructor(source: ScannedSource) {
    this.#source = source;
    this.#chunks = source.bytes[Symbol.asyncIterator]();
  }

  /** The next bytes, fewer only at the end of the source. Throws where they are more than `largestMessage`. */
  async take(count: number): Promise<Uint8Array> {
    while (this.#length < count && (await this.#readOn()));
    return this.#cut(Math.min(count, this.#length));
  }

  /** Everything up to the end. */
  async takeAll(): Promise<Uint8Array> {
    while (await this.#readOn());
    return this.#cut(this.#length);
  }

  /** Stops reading. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  async #readOn(): Promise<boolean> {
    const next = await this.#chunks.next();
    if (next.done === true) return false;
    this.#parts.push(next.value);
    this.#length += next.value.length;
    if (this.#length > largestMessage) throw unfitSource(`A message is larger than ${largestMessage} bytes`);
    await this.#source.keep?.(this.#length);
    return true;
  }

  #cut(count: number): Uint8Array {
    const taken: Uint8Array[] = [];
    let left = count;
    let used = 0;
    for (const part of this.#parts) {
      if (left === 0) break;
      if (part.length > left) {
        taken.push(part.subarray(0, left));
        this.#parts[used] = part.subarray(left);
        left = 0;
        break;
      }
      taken.push(part);
      left -= part.length;
      used += 1;
    }
    this.#parts = this.#parts.slice(used);
    this.#length -= count;
    const [only] = taken;
    return taken.length === 1 && only !== undefined ? only : Buffer.concat(taken);
  }
}
