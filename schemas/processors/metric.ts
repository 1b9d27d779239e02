import { defineProcessor, type OptionRule, type ProcessorDescriptor } from "../component.ts";
import schema from "./metric.schema.json" with { type: "json" };

const valued: ReadonlySet<unknown> = new Set(["counter_by", "gauge", "timing"]);

/** A counter counts messages; the other types record a value. */
const recorded: OptionRule = (options) => {
  const type = options.literal("type");
  const value = options.literal("value");
  if (type === "counter")
    return options.isSet("value") && value !== "1"
      ? [
          {
            field: "value",
            message: "`counter` adds 1 for each message, so `value` has no effect.",
            hint: "Set `type: counter_by` to add the value.",
            severity: "warning",
          },
        ]
      : [];
  if (!valued.has(type) || options.isSet("value")) return [];
  return [
    {
      field: "type",
      message: `\`${String(type)}\` records nothing without a \`value\`.`,
      hint: "Add `value`, such as `${! this.amount }`.",
      severity: "warning",
    },
  ];
};

/** The processor `metric`. */
export const metricProcessor: ProcessorDescriptor = defineProcessor({
  name: "metric",
  schema,
  runtime: { module: "runtime/processors/metric.ts", symbol: "metric" },
  flow: { kind: "message", effect: { content: "same" } },
  onlyLogsFailures: true,
  definesMetric: true,
  rules: [recorded],
});
