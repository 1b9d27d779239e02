// What cuts bytes into messages, for inputs that read files and streams.

import type { Message } from "../message/message.ts";

/** Bytes to cut, and where they are from. */
export interface ScannedSource {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** The path of a file; empty where the source has no name. */
  readonly name: string;
  /** Resolves once there is room for so many bytes, held for a message that is not whole yet, in place of those before. */
  keep?(bytes: number): Promise<void>;
}

/** Cuts a source into messages. */
export interface Scanner {
  /**
   * The messages of a source, each made when it is asked for: what is held is a message that is not whole yet. Throws a
   * `GatewayError` where the source is not what the scanner reads, and what the source throws.
   */
  scan(source: ScannedSource): AsyncGenerator<Message>;
}
