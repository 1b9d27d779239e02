// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Sends numbers to a StatsD server, by UDP.
 */
export interface StatsdOptions {
  /**
   * Address of the server, as `host:port`.
   */
  readonly address?: string;
  /**
   * What all names begin with.
   */
  readonly prefix?: string;
  /**
   * How labels are written: as tags (`datadog`), or as parts of names (`none`).
   */
  readonly tags?: "none" | "datadog";
  /**
   * Time between two sendings.
   */
  readonly interval?: number;
}

/** What the fields hold that a document leaves out. */
export const statsdDefaults = {
  address: "127.0.0.1:8125",
  prefix: "",
  tags: "none",
  interval: 10000
} as const satisfies Partial<StatsdOptions>;
