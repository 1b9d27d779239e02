// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Processor } from "../../component/component.ts";

/**
 * Keeps messages in a SQLite database on the machine of the gateway until they are delivered. A message is acknowledged once it is in the file; after a crash, what was not delivered is delivered again.
 */
export interface SqliteBufferOptions {
  /**
   * File of the database, which is created where it does not exist. It belongs to one stream and one machine.
   */
  readonly path: string;
  /**
   * What runs on messages before they are kept. A message is acknowledged only when they have run.
   */
  readonly pre_processors?: readonly Processor[];
  /**
   * What runs on messages that were kept, before the pipeline. They run again when a batch is delivered again.
   */
  readonly post_processors?: readonly Processor[];
}

/** What the fields hold that a document leaves out. */
export const sqliteBufferDefaults = {
  pre_processors: [],
  post_processors: []
} as const satisfies Partial<SqliteBufferOptions>;
