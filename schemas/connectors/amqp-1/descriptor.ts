import { plainChannels } from "../../broker-channels.ts";
import { defineInput, defineOutput, type InputDescriptor, type OutputDescriptor } from "../../component.ts";
import input from "./input.schema.json" with { type: "json" };
import output from "./output.schema.json" with { type: "json" };

const probe = { module: "runtime/connectors/amqp-1/probe.ts", symbol: "probeAmqp1" };

/** The input `amqp_1`. */
export const amqp1Input: InputDescriptor = defineInput({
  name: "amqp_1",
  schema: input,
  brokerChannels: plainChannels("amqp1", "urls", "source_address"),
  runtime: { module: "runtime/connectors/amqp-1/input.ts", symbol: "amqp1Input" },
  probe,
  division: { isDivided: () => true },
  rules: ["unused-logins"],
});

/** The output `amqp_1`. */
export const amqp1Output: OutputDescriptor = defineOutput({
  name: "amqp_1",
  schema: output,
  brokerChannels: plainChannels("amqp1", "urls", "target_address"),
  runtime: { module: "runtime/connectors/amqp-1/output.ts", symbol: "amqp1Output" },
  probe,
  rules: ["unused-logins"],
});
