import { defineCache, type ResourceDescriptor } from "../component.ts";
import schema from "./nats-kv.schema.json" with { type: "json" };

/** The cache `nats_kv`. */
export const natsKvCache: ResourceDescriptor = defineCache({
  name: "nats_kv",
  schema,
  runtime: { module: "runtime/connectors/nats/kv/cache.ts", symbol: "natsKvCache" },
  probe: { module: "runtime/connectors/nats/kv/probe.ts", symbol: "probeNatsKv" },
});
