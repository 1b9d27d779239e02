import { defineProcessor, type ProcessorDescriptor } from "../component.ts";
import schema from "./rate-limit.schema.json" with { type: "json" };

/** The processor `rate_limit`. */
export const rateLimitProcessor: ProcessorDescriptor = defineProcessor({
  name: "rate_limit",
  schema,
  runtime: { module: "runtime/processors/rate-limit.ts", symbol: "rateLimit" },
  flow: { kind: "message", effect: { content: "same" } },
});
