import { defineCache, type ResourceDescriptor } from "../component.ts";
import schema from "./multilevel.schema.json" with { type: "json" };

/** The cache `multilevel`. */
export const multilevelCache: ResourceDescriptor = defineCache({
  name: "multilevel",
  schema,
  runtime: { module: "runtime/resources/multilevel-cache.ts", symbol: "multilevelCache" },
});
