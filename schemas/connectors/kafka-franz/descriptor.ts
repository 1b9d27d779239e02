import { kafkaChannels } from "../../broker-channels.ts";
import { defineInput, defineOutput, type InputDescriptor, type OutputDescriptor } from "../../component.ts";
import input from "./input.schema.json" with { type: "json" };
import output from "./output.schema.json" with { type: "json" };

const probe = { module: "runtime/connectors/kafka/franz/probe.ts", symbol: "probeKafkaFranz" };

/** The input `kafka_franz`. */
export const kafkaFranzInput: InputDescriptor = defineInput({
  name: "kafka_franz",
  schema: input,
  brokerChannels: kafkaChannels("seed_brokers", "topics"),
  runtime: { module: "runtime/connectors/kafka/franz/input.ts", symbol: "kafkaFranzInput" },
  probe,
  division: { isDivided: (options) => options.isSet("consumer_group") },
  rules: ["kafka-batches", "kafka-logins", "kafka-topics"],
});

/** The output `kafka_franz`. */
export const kafkaFranzOutput: OutputDescriptor = defineOutput({
  name: "kafka_franz",
  schema: output,
  brokerChannels: kafkaChannels("seed_brokers", "topic"),
  runtime: { module: "runtime/connectors/kafka/franz/output.ts", symbol: "kafkaFranzOutput" },
  probe,
  rules: ["kafka-logins", "kafka-writes"],
});
