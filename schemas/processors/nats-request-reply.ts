import { defineProcessor, type ProcessorDescriptor } from "../component.ts";
import schema from "./nats-request-reply.schema.json" with { type: "json" };

/** The processor `nats_request_reply`. */
export const natsRequestReplyProcessor: ProcessorDescriptor = defineProcessor({
  name: "nats_request_reply",
  schema,
  runtime: { module: "runtime/connectors/nats/request-reply.ts", symbol: "natsRequestReply" },
  probe: { module: "runtime/connectors/nats/probe.ts", symbol: "probeNats" },
  flow: { kind: "message", effect: { content: "unknown" } },
  rules: ["nats-headers"],
  mayFail: "no reply may arrive in time",
});
