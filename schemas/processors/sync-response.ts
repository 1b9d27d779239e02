import { defineProcessor, type ProcessorDescriptor } from "../component.ts";
import schema from "./sync-response.schema.json" with { type: "json" };

/** The processor `sync_response`. */
export const syncResponseProcessor: ProcessorDescriptor = defineProcessor({
  name: "sync_response",
  answersRequests: true,
  schema,
  runtime: { module: "runtime/processors/sync-response.ts", symbol: "syncResponse" },
  flow: { kind: "message", effect: { content: "same" } },
});
