// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Text } from "../../component/text.ts";

/**
 * Updates a metric for each message. The message passes unchanged. `/metrics` of the admin listener exposes the metrics.
 */
export interface MetricOptions {
  /**
   * Type of the metric: `counter` counts messages, `counter_by` adds `value`, `gauge` is set to it, `timing` records its sum and count.
   */
  readonly type: "counter" | "counter_by" | "gauge" | "timing";
  /**
   * Name of the metric, which all streams of a gateway share.
   */
  readonly name: string;
  /**
   * Labels of the metric, by name; at most 1000 different label sets.
   */
  readonly labels?: Readonly<Record<string, Text>>;
  /**
   * Value of the metric, 0 or greater.
   */
  readonly value?: Text;
}

/** What the fields hold that a document leaves out. */
export const metricDefaults = {
  value: ""
} as const satisfies Partial<MetricOptions>;
