import { mqttChannels } from "../../broker-channels.ts";
import { defineInput, defineOutput, type InputDescriptor, type OutputDescriptor } from "../../component.ts";
import { topicWildcards } from "../../shared/wildcard-rules.ts";
import input from "./input.schema.json" with { type: "json" };
import output from "./output.schema.json" with { type: "json" };

const probe = { module: "runtime/connectors/mqtt/probe.ts", symbol: "probeMqtt" };

/** The input `mqtt`. */
export const mqttInput: InputDescriptor = defineInput({
  name: "mqtt",
  schema: input,
  brokerChannels: mqttChannels("topics"),
  runtime: { module: "runtime/connectors/mqtt/input.ts", symbol: "mqttInput" },
  probe,
  division: {
    showsReplicas: true,
    // The broker divides messages of a shared subscription among its members. A text may contain several topics,
    // separated by commas.
    isDivided: (options) =>
      options
        .beginnings("topics")
        .every((topics) => topics.split(",").every((topic) => topic.trimStart().startsWith("$share/"))),
    otherwise: {
      clause: "reads every message of these topics",
      hint: "Subscribe to `$share/GROUP/TOPIC`, so that replicas share the messages.",
    },
  },
  rules: ["mqtt-sessions", topicWildcards],
});

/** The output `mqtt`. */
export const mqttOutput: OutputDescriptor = defineOutput({
  name: "mqtt",
  schema: output,
  brokerChannels: mqttChannels("topic"),
  runtime: { module: "runtime/connectors/mqtt/output.ts", symbol: "mqttOutput" },
  probe,
});
