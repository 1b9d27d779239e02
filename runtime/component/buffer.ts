// What keeps messages between the input of a stream and its pipeline.

import type { Batch } from "../message/message.ts";
import type { Delivered, InputContext } from "./component.ts";

/** A buffer at work. One instance lives from one `open` to one `close`. */
export interface Buffer {
  /** Begins to hand what is kept to `context.deliver`. Rejects with a `GatewayError` where it cannot keep anything. */
  open(context: InputContext): Promise<void>;
  /**
   * Resolves once the batch is kept, so that the input may acknowledge it; waits while there is no room. Rejects with a
   * `GatewayError` where it is not kept.
   */
  write(batch: Batch): Promise<Delivered>;
  /** Resolves once everything that was written is delivered. */
  idle(): Promise<void>;
  /** Refuses what would wait for the time, so that the input can be closed; called before that. */
  stop?(): void;
  /** Takes nothing more, and waits for what is kept until the stream's time is over. Safe to call twice. */
  close(): Promise<void>;
}
