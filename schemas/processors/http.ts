import { defineProcessor, type ProcessorDescriptor } from "../component.ts";
import schema from "./http.schema.json" with { type: "json" };

/** The processor `http`. */
export const httpProcessor: ProcessorDescriptor = defineProcessor({
  name: "http",
  schema,
  runtime: { module: "runtime/processors/http.ts", symbol: "http" },
  probe: { module: "runtime/probe/probe-url.ts", symbol: "probeUrl" },
  flow: { kind: "message", effect: { content: "reply" } },
  mayFail: "the request may fail",
  rules: ["one-authorization"],
});
