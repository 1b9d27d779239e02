import { defineRateLimit, type ResourceDescriptor } from "../component.ts";
import schema from "./local.schema.json" with { type: "json" };

/** The rate limit `local`. */
export const localRateLimit: ResourceDescriptor = defineRateLimit({
  name: "local",
  schema,
  runtime: { module: "runtime/resources/local-rate-limit.ts", symbol: "localRateLimit" },
});
