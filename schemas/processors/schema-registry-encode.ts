import { defineProcessor, type ProcessorDescriptor } from "../component.ts";
import schema from "./schema-registry-encode.schema.json" with { type: "json" };

/** The processor `schema_registry_encode`. */
export const schemaRegistryEncodeProcessor: ProcessorDescriptor = defineProcessor({
  name: "schema_registry_encode",
  schema,
  runtime: { module: "runtime/processors/schema-registry/processors.ts", symbol: "schemaRegistryEncode" },
  probe: { module: "runtime/probe/probe-url.ts", symbol: "probeUrl" },
  flow: { kind: "message", effect: { content: "bytes" } },
  mayFail: "the message may not be of its schema, and the registry may be unreachable",
  rules: ["one-authorization"],
});
