import { defineCache, type ResourceDescriptor } from "../component.ts";
import schema from "./ristretto.schema.json" with { type: "json" };

/** The cache `ristretto`. */
export const ristrettoCache: ResourceDescriptor = defineCache({
  name: "ristretto",
  schema,
  runtime: { module: "runtime/resources/memory-cache.ts", symbol: "ristrettoCache" },
});
