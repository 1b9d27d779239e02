import { type BufferDescriptor, defineBuffer } from "../component.ts";
import schema from "./sqlite.schema.json" with { type: "json" };

/** The buffer `sqlite`. */
export const sqliteBuffer: BufferDescriptor = defineBuffer({
  name: "sqlite",
  schema,
  runtime: { module: "runtime/buffers/sqlite.ts", symbol: "sqliteBuffer" },
});
