import { defineInput, defineOutput, type InputDescriptor, type OutputDescriptor } from "../../component.ts";
import input from "./input.schema.json" with { type: "json" };
import output from "./output.schema.json" with { type: "json" };

const probe = { module: "runtime/probe/probe-url.ts", symbol: "probeUrl" };

/** The input `http_client`. */
export const httpClientInput: InputDescriptor = defineInput({
  name: "http_client",
  schema: input,
  runtime: { module: "runtime/connectors/http-client/input.ts", symbol: "httpClientInput" },
  variants: [
    {
      when: (options) =>
        options.literal("stream.enabled") === true && options.literal("stream.events") === true,
      runtime: { module: "runtime/connectors/http-client/events.ts", symbol: "httpEventsInput" },
    },
  ],
  probe,
  division: {
    isDivided: () => false,
    otherwise: {
      clause: "polls independently",
      hint: "Run this stream in one replica, or make its processing idempotent.",
    },
  },
  rules: ["one-authorization", "poll-intervals"],
});

/** The output `http_client`. */
export const httpClientOutput: OutputDescriptor = defineOutput({
  name: "http_client",
  schema: output,
  runtime: { module: "runtime/connectors/http-client/output.ts", symbol: "httpClientOutput" },
  probe,
  rules: ["one-authorization"],
});
