// POST → mapping → JetStream: responds when the message is stored.

import { jetstream, jetstreamManager, StorageType } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { mapOrder } from "./order.ts";
import { serve } from "./server.ts";

const connection = await connect({ servers: process.env.NATS_URL ?? "" });
const manager = await jetstreamManager(connection);
await manager.streams.add({
  name: "stored",
  subjects: ["stored.>"],
  max_msgs: 10_000,
  storage: StorageType.Memory,
});
const client = jetstream(connection);

serve((body, answer) => {
  client.publish("stored.orders", mapOrder(body)).then(
    () => answer(200),
    () => answer(503),
  );
});
