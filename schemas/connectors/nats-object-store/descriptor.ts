import { defineInput, defineOutput, type InputDescriptor, type OutputDescriptor } from "../../component.ts";
import input from "./input.schema.json" with { type: "json" };
import output from "./output.schema.json" with { type: "json" };

/** The input `nats_object_store`. */
export const natsObjectStoreInput: InputDescriptor = defineInput({
  name: "nats_object_store",
  schema: input,
  runtime: { module: "runtime/connectors/nats/objects/input.ts", symbol: "natsObjectStoreInput" },
  probe: { module: "runtime/connectors/nats/objects/probe.ts", symbol: "probeNatsObjects" },
  division: {
    isDivided: () => false,
    otherwise: {
      clause: "reads every object of the bucket",
      hint: "Run this stream in one replica, or make its processing idempotent.",
    },
  },
});

/** The output `nats_object_store`. */
export const natsObjectStoreOutput: OutputDescriptor = defineOutput({
  name: "nats_object_store",
  schema: output,
  runtime: { module: "runtime/connectors/nats/objects/output.ts", symbol: "natsObjectStoreOutput" },
  probe: { module: "runtime/connectors/nats/objects/probe.ts", symbol: "probeNatsObjects" },
});
