import { defineCache, type ResourceDescriptor } from "../component.ts";
import schema from "./noop.schema.json" with { type: "json" };

/** The cache `noop`. */
export const noopCache: ResourceDescriptor = defineCache({
  name: "noop",
  schema,
  runtime: { module: "runtime/resources/noop-cache.ts", symbol: "noopCache" },
});
