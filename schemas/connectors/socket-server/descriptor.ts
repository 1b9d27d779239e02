import { defineInput, type InputDescriptor } from "../../component.ts";
import input from "./input.schema.json" with { type: "json" };

/** The input `socket_server`. */
export const socketServerInput: InputDescriptor = defineInput({
  name: "socket_server",
  schema: input,
  runtime: { module: "runtime/connectors/socket/server/input.ts", symbol: "socketServerInput" },
});
