import { defineInput, defineOutput, type InputDescriptor, type OutputDescriptor } from "../../component.ts";
import input from "./input.schema.json" with { type: "json" };
import output from "./output.schema.json" with { type: "json" };

/** The input `http_server`. */
export const httpServerInput: InputDescriptor = defineInput({
  name: "http_server",
  schema: input,
  runtime: { module: "runtime/connectors/http-server/input.ts", symbol: "httpServerInput" },
  variants: [
    {
      // This variant contains no WebSocket code.
      when: (options) => !options.has("ws_path"),
      runtime: { module: "runtime/connectors/http-server/input.ts", symbol: "plainHttpServerInput" },
    },
  ],
  rules: ["endpoint-fields"],
});

/** The output `http_server`. */
export const httpServerOutput: OutputDescriptor = defineOutput({
  name: "http_server",
  schema: output,
  runtime: { module: "runtime/connectors/http-server/output.ts", symbol: "httpServerOutput" },
  variants: [
    {
      // With `path` alone, a client that requests a WebSocket gets one.
      when: (options) => options.has("stream_path") && !options.has("ws_path"),
      runtime: { module: "runtime/connectors/http-server/output.ts", symbol: "plainHttpServerOutput" },
    },
  ],
  negotiatedRoute: "path",
  rules: ["endpoint-fields"],
});
