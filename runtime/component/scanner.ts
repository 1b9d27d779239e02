// The interface of scanners, which split bytes into messages for inputs that read files and streams.

import type { Message } from "../message/message.ts";

/** The bytes to split, and their origin. */
export interface ScannedSource {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** The path of a file; empty if the source has no name. */
  readonly name: string;
  /** Resolves when there is room for `bytes` bytes of an incomplete message; replaces the number given before. */
  keep?(bytes: number): Promise<void>;
}

/** Splits a source into messages. */
export interface Scanner {
  /**
   * Yields the messages of a source, each created on request: only an incomplete message is kept in memory. Throws a
   * `GatewayError` if the source does not have the format that the scanner reads, and the errors of the source.
   */
  scan(source: ScannedSource): AsyncGenerator<Message>;
}
