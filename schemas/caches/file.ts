import { defineCache, type ResourceDescriptor } from "../component.ts";
import schema from "./file.schema.json" with { type: "json" };

/** The cache `file`. */
export const fileCache: ResourceDescriptor = defineCache({
  name: "file",
  schema,
  runtime: { module: "runtime/resources/file-cache.ts", symbol: "fileCache" },
});
