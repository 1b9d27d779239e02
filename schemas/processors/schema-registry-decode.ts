import { defineProcessor, type ProcessorDescriptor } from "../component.ts";
import schema from "./schema-registry-decode.schema.json" with { type: "json" };

/** The processor `schema_registry_decode`. */
export const schemaRegistryDecodeProcessor: ProcessorDescriptor = defineProcessor({
  name: "schema_registry_decode",
  schema,
  runtime: { module: "runtime/processors/schema-registry/processors.ts", symbol: "schemaRegistryDecode" },
  probe: { module: "runtime/probe/probe-url.ts", symbol: "probeUrl" },
  flow: { kind: "message", effect: { content: "unknown" } },
  mayFail: "the message may not be of its schema, and the registry may be unreachable",
  rules: ["one-authorization"],
});
