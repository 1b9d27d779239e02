import { defineInput, defineOutput, type InputDescriptor, type OutputDescriptor } from "../../component.ts";
import input from "./input.schema.json" with { type: "json" };
import output from "./output.schema.json" with { type: "json" };

/** The input `broker`. */
export const brokerInput: InputDescriptor = defineInput({
  name: "broker",
  schema: input,
  runtime: { module: "runtime/connectors/broker/input.ts", symbol: "brokerInput" },
  batchesItself: true,
  rules: ["copied-endpoints"],
});

/** The output `broker`. */
export const brokerOutput: OutputDescriptor = defineOutput({
  name: "broker",
  schema: output,
  runtime: { module: "runtime/connectors/broker/output.ts", symbol: "brokerOutput" },
  batchesItself: true,
  rules: ["copied-endpoints", "fan-out-to-clients"],
});
