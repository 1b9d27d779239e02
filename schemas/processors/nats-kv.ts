import { defineProcessor, type OptionRule, type ProcessorDescriptor } from "../component.ts";
import schema from "./nats-kv.schema.json" with { type: "json" };

/** Operations on one revision need its number. */
const revisions: OptionRule = (options) => {
  const operation = options.literal("operation");
  if ((operation !== "get_revision" && operation !== "update") || options.has("revision")) return [];
  return [
    {
      field: "operation",
      message: `\`${operation}\` needs a \`revision\`.`,
      hint: "Add `revision`, such as `${! @nats_kv_revision }`.",
    },
  ];
};

const reading: ReadonlySet<unknown> = new Set(["get", "get_revision", "history", "keys"]);

/** The processor `nats_kv`. */
export const natsKvProcessor: ProcessorDescriptor = defineProcessor({
  name: "nats_kv",
  schema,
  runtime: { module: "runtime/connectors/nats/kv/step.ts", symbol: "natsKv" },
  probe: { module: "runtime/connectors/nats/kv/probe.ts", symbol: "probeNatsKv" },
  flow: {
    kind: "message",
    effect: (options) => ({ content: reading.has(options.literal("operation")) ? "unknown" : "same" }),
  },
  mayFail: "the bucket may not answer, or not hold the key",
  rules: [revisions],
});
