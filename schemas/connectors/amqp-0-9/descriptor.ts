import { amqpKeys, amqpQueues } from "../../broker-channels.ts";
import { defineInput, defineOutput, type InputDescriptor, type OutputDescriptor } from "../../component.ts";
import input from "./input.schema.json" with { type: "json" };
import output from "./output.schema.json" with { type: "json" };

const probe = { module: "runtime/connectors/amqp-0-9/probe.ts", symbol: "probeAmqp09" };

/** The input `amqp_0_9`. */
export const amqp09Input: InputDescriptor = defineInput({
  name: "amqp_0_9",
  schema: input,
  brokerChannels: amqpQueues,
  runtime: { module: "runtime/connectors/amqp-0-9/input.ts", symbol: "amqp09Input" },
  probe,
  division: { isDivided: () => true },
  variants: [
    {
      when: (options) => options.has("nack_reject_patterns"),
      runtime: { module: "runtime/connectors/amqp-0-9/rejecting-input.ts", symbol: "rejectingAmqp09Input" },
    },
  ],
  rules: ["early-acknowledgements"],
});

/** The output `amqp_0_9`. */
export const amqp09Output: OutputDescriptor = defineOutput({
  name: "amqp_0_9",
  schema: output,
  brokerChannels: amqpKeys,
  runtime: { module: "runtime/connectors/amqp-0-9/output.ts", symbol: "amqp09Output" },
  probe,
});
