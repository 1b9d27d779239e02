import { defineInput, defineOutput, type InputDescriptor, type OutputDescriptor } from "../../component.ts";
import input from "./input.schema.json" with { type: "json" };
import output from "./output.schema.json" with { type: "json" };

const probe = { module: "runtime/connectors/nats/kv/probe.ts", symbol: "probeNatsKv" };

/** The input `nats_kv`. */
export const natsKvInput: InputDescriptor = defineInput({
  name: "nats_kv",
  schema: input,
  runtime: { module: "runtime/connectors/nats/kv/input.ts", symbol: "natsKvInput" },
  probe,
  division: {
    isDivided: () => false,
    otherwise: {
      clause: "reads every change of these keys",
      hint: "Run this stream in one replica, or make its processing idempotent.",
    },
  },
});

/** The output `nats_kv`. */
export const natsKvOutput: OutputDescriptor = defineOutput({
  name: "nats_kv",
  schema: output,
  runtime: { module: "runtime/connectors/nats/kv/output.ts", symbol: "natsKvOutput" },
  probe,
});
