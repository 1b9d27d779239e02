import { type BufferDescriptor, defineBuffer } from "../component.ts";
import schema from "./system-window.schema.json" with { type: "json" };

/** The buffer `system_window`. */
export const systemWindowBuffer: BufferDescriptor = defineBuffer({
  name: "system_window",
  schema,
  runtime: { module: "runtime/buffers/system-window.ts", symbol: "systemWindowBuffer" },
});
