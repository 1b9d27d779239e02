import { natsChannels } from "../../broker-channels.ts";
import { defineInput, defineOutput, type InputDescriptor, type OutputDescriptor } from "../../component.ts";
import { subjectWildcards } from "../../shared/wildcard-rules.ts";
import input from "./input.schema.json" with { type: "json" };
import output from "./output.schema.json" with { type: "json" };

const probe = { module: "runtime/connectors/nats/probe.ts", symbol: "probeNats" };

/** The input `nats`. */
export const natsInput: InputDescriptor = defineInput({
  name: "nats",
  answersSenders: true,
  schema: input,
  brokerChannels: natsChannels,
  runtime: { module: "runtime/connectors/nats/input.ts", symbol: "natsInput" },
  probe,
  division: {
    showsReplicas: true,
    isDivided: (options) => options.isSet("queue"),
    otherwise: {
      clause: "reads every message of this subject",
      hint: "Add `queue`, so that replicas share the messages.",
    },
  },
  rules: [subjectWildcards],
});

/** The output `nats`. */
export const natsOutput: OutputDescriptor = defineOutput({
  name: "nats",
  schema: output,
  brokerChannels: natsChannels,
  runtime: { module: "runtime/connectors/nats/output.ts", symbol: "natsOutput" },
  probe,
  rules: ["nats-headers"],
  variants: [
    {
      // Other bundles contain neither the filter nor the engine for its patterns.
      when: (options) => options.has("metadata"),
      runtime: { module: "runtime/connectors/nats/output.ts", symbol: "filteredNatsOutput" },
    },
  ],
});
