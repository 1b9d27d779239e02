// POST → mapping → JetStream: responds when the message is stored.

import { jetstream } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { mapOrder } from "./order.ts";
import { serve } from "./server.ts";

const connection = await connect({ servers: process.env.NATS_URL ?? "" });
const client = jetstream(connection);

serve((body, answer) => {
  client.publish("stored.orders", mapOrder(body)).then(
    () => answer(200),
    () => answer(503),
  );
});
