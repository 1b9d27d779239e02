import { defineInput, defineOutput, type InputDescriptor, type OutputDescriptor } from "../../component.ts";
import input from "./input.schema.json" with { type: "json" };
import output from "./output.schema.json" with { type: "json" };

/** The input `websocket_server`. */
export const websocketServerInput: InputDescriptor = defineInput({
  name: "websocket_server",
  schema: input,
  runtime: { module: "runtime/connectors/websocket-server/input.ts", symbol: "websocketServerInput" },
});

/** The output `websocket_server`. */
export const websocketServerOutput: OutputDescriptor = defineOutput({
  name: "websocket_server",
  schema: output,
  runtime: { module: "runtime/connectors/websocket-server/output.ts", symbol: "websocketServerOutput" },
});
