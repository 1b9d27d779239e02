import { defineProcessor, type ProcessorDescriptor } from "../component.ts";
import schema from "./nats-object-store.schema.json" with { type: "json" };

/** The processor `nats_object_store`. */
export const natsObjectStoreProcessor: ProcessorDescriptor = defineProcessor({
  name: "nats_object_store",
  schema,
  runtime: { module: "runtime/connectors/nats/objects/step.ts", symbol: "natsObjectStore" },
  probe: { module: "runtime/connectors/nats/objects/probe.ts", symbol: "probeNatsObjects" },
  flow: {
    kind: "message",
    effect: (options) => ({ content: options.literal("operation") === "get" ? "unknown" : "same" }),
  },
  mayFail: "the bucket may not answer, or not hold the object",
});
