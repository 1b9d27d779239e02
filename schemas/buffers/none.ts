import { type BufferDescriptor, defineBuffer } from "../component.ts";
import schema from "./none.schema.json" with { type: "json" };

/** The buffer `none`. */
export const noneBuffer: BufferDescriptor = defineBuffer({
  name: "none",
  schema,
  keepsNothing: true,
  runtime: { module: "runtime/buffers/none.ts", symbol: "noneBuffer" },
});
