// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Text } from "../../component/text.ts";

/**
 * Counts or measures each message, which passes unchanged; `/metrics` of the admin listener tells the numbers.
 */
export interface MetricOptions {
  /**
   * `counter` counts messages, `counter_by` adds `value`, `gauge` becomes it, `timing` sums it up and counts how often.
   */
  readonly type: "counter" | "counter_by" | "gauge" | "timing";
  /**
   * Name of the metric, the same in all streams of a gateway.
   */
  readonly name: string;
  /**
   * Labels of the number that a message counts for, by name; 1000 different sets of them at most.
   */
  readonly labels?: Readonly<Record<string, Text>>;
  /**
   * The number that a message counts, 0 or more.
   */
  readonly value?: Text;
}

/** What the fields hold that a document leaves out. */
export const metricDefaults = {
  value: ""
} as const satisfies Partial<MetricOptions>;
