import { natsChannels } from "../../broker-channels.ts";
import { defineInput, defineOutput, type InputDescriptor, type OutputDescriptor } from "../../component.ts";
import { subjectWildcards } from "../../shared/wildcard-rules.ts";
import input from "./input.schema.json" with { type: "json" };
import output from "./output.schema.json" with { type: "json" };

const probe = { module: "runtime/connectors/nats/jetstream/probe.ts", symbol: "probeNatsJetstream" };

/** The input `nats_jetstream`. */
export const natsJetstreamInput: InputDescriptor = defineInput({
  name: "nats_jetstream",
  schema: input,
  brokerChannels: natsChannels,
  runtime: { module: "runtime/connectors/nats/jetstream/input.ts", symbol: "natsJetstreamInput" },
  probe,
  division: {
    isDivided: (options) => options.isSet("durable") || options.isSet("queue"),
    otherwise: {
      clause: "reads every message of this stream",
      hint: "Add `durable`, so that replicas share the messages.",
    },
  },
  rules: [subjectWildcards],
});

/** The output `nats_jetstream`. */
export const natsJetstreamOutput: OutputDescriptor = defineOutput({
  name: "nats_jetstream",
  schema: output,
  brokerChannels: natsChannels,
  runtime: { module: "runtime/connectors/nats/jetstream/output.ts", symbol: "natsJetstreamOutput" },
  probe,
  rules: ["nats-headers"],
  variants: [
    {
      // Other bundles contain neither the filter nor the engine for its patterns.
      when: (options) => options.has("metadata"),
      runtime: {
        module: "runtime/connectors/nats/jetstream/output.ts",
        symbol: "filteredNatsJetstreamOutput",
      },
    },
  ],
});
