// POST → mapping → AMQP 0-9-1: responds when the broker has confirmed the message.

import { connect } from "amqplib";
import { mapOrder } from "./order.ts";
import { serve } from "./server.ts";

const connection = await connect(process.env.RABBITMQ_URL ?? "");
const channel = await connection.createConfirmChannel();
const options = { persistent: true, contentType: "application/octet-stream" };

serve((body, answer) => {
  channel.publish("amq.fanout", "", mapOrder(body), options, (error) => answer(error === null ? 200 : 503));
});
