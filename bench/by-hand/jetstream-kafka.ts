// JetStream → mapping → Kafka: the messages of one event loop iteration are one request; each is acknowledged after
// it is written.

import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { send } from "./kafka.ts";
import { mapOrder } from "./order.ts";

const { NATS_URL = "", IN = "", GROUP = "" } = process.env;
const connection = await connect({ servers: NATS_URL });
const manager = await jetstreamManager(connection);
await manager.consumers.add(IN, { durable_name: GROUP, ack_policy: "explicit", max_ack_pending: 1024 });
const consumer = await jetstream(connection).consumers.get(IN, GROUP);
await consumer.consume({
  max_messages: 1024,
  callback: (message) =>
    send({ value: mapOrder(message.data) }, (status) => (status === 200 ? message.ack() : message.nak())),
});
console.log("reading");
process.on("SIGTERM", () => process.exit());
