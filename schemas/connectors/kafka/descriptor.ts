import { kafkaChannels } from "../../broker-channels.ts";
import { defineInput, defineOutput, type InputDescriptor, type OutputDescriptor } from "../../component.ts";
import input from "./input.schema.json" with { type: "json" };
import output from "./output.schema.json" with { type: "json" };

const probe = { module: "runtime/connectors/kafka/probe.ts", symbol: "probeKafka" };

/** The input `kafka`. */
export const kafkaInput: InputDescriptor = defineInput({
  name: "kafka",
  schema: input,
  brokerChannels: kafkaChannels("addresses", "topics"),
  runtime: { module: "runtime/connectors/kafka/input.ts", symbol: "kafkaInput" },
  probe,
  division: {
    isDivided: (options) =>
      options.isSet("consumer_group") &&
      !options.texts("topics").some((topic) => topic?.includes(":") === true),
  },
  rules: ["kafka-batches", "kafka-logins", "kafka-topics"],
});

/** The output `kafka`. */
export const kafkaOutput: OutputDescriptor = defineOutput({
  name: "kafka",
  schema: output,
  brokerChannels: kafkaChannels("addresses", "topic"),
  runtime: { module: "runtime/connectors/kafka/output.ts", symbol: "kafkaOutput" },
  probe,
  rules: ["kafka-logins", "kafka-writes"],
});
