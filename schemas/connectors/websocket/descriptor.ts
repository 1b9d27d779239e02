import { defineInput, defineOutput, type InputDescriptor, type OutputDescriptor } from "../../component.ts";
import input from "./input.schema.json" with { type: "json" };
import output from "./output.schema.json" with { type: "json" };

const probe = { module: "runtime/probe/probe-url.ts", symbol: "probeUrl" };

/** The input `websocket`. */
export const websocketInput: InputDescriptor = defineInput({
  name: "websocket",
  schema: input,
  runtime: { module: "runtime/connectors/websocket/input.ts", symbol: "websocketInput" },
  probe,
  division: {
    isDivided: () => false,
    otherwise: {
      clause: "reads every message of this server",
      hint: "Run this stream in one replica, or make its processing idempotent.",
    },
  },
  rules: ["one-authorization"],
});

/** The output `websocket`. */
export const websocketOutput: OutputDescriptor = defineOutput({
  name: "websocket",
  schema: output,
  runtime: { module: "runtime/connectors/websocket/output.ts", symbol: "websocketOutput" },
  probe,
  rules: ["one-authorization"],
});
