// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Processor } from "../../component/component.ts";

/**
 * Stores messages in a SQLite database on the host of the gateway until they are delivered. A message is acknowledged once it is stored. After a crash, undelivered messages are delivered again.
 */
export interface SqliteBufferOptions {
  /**
   * Database file, which is created if it does not exist. Only one stream on one host may use it.
   */
  readonly path: string;
  /**
   * Processors that run before messages are stored. A message is acknowledged only after they have run.
   */
  readonly pre_processors?: readonly Processor[];
  /**
   * Processors that run on stored messages, before the pipeline. They run again if a batch is delivered again.
   */
  readonly post_processors?: readonly Processor[];
}

/** What the fields hold that a document leaves out. */
export const sqliteBufferDefaults = {
  pre_processors: [],
  post_processors: []
} as const satisfies Partial<SqliteBufferOptions>;
