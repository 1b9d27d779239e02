// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Reads messages of a NATS subject. Core NATS keeps nothing: what comes while nobody reads is gone.
 */
export interface NatsInputOptions {
  /**
   * Addresses of the servers.
   */
  readonly urls: readonly string[];
  /**
   * Subject to read; `*` stands for one part, `>` for all that follow.
   */
  readonly subject: string;
  /**
   * Group whose members share the messages; without one each reader gets all of them.
   */
  readonly queue?: string;
}

/** What the fields hold that a document leaves out. */
export const natsInputDefaults = {
  queue: ""
} as const satisfies Partial<NatsInputOptions>;
