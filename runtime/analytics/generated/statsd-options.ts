// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Sends metrics to a StatsD server, by UDP.
 */
export interface StatsdOptions {
  /**
   * Address of the server, as `host:port`.
   */
  readonly address?: string;
  /**
   * Prefix of all metric names.
   */
  readonly prefix?: string;
  /**
   * How labels are sent: as tags (`datadog`), or as parts of metric names (`none`).
   */
  readonly tags?: "none" | "datadog";
  /**
   * Interval between two exports.
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
