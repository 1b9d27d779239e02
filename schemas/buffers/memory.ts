import { type BufferDescriptor, defineBuffer } from "../component.ts";
import schema from "./memory.schema.json" with { type: "json" };

/** The buffer `memory`. */
export const memoryBuffer: BufferDescriptor = defineBuffer({
  name: "memory",
  schema,
  runtime: { module: "runtime/buffers/memory.ts", symbol: "memoryBuffer" },
  rules: ["early-acknowledgements"],
});
