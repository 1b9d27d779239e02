// POST → mapping → MQTT with QoS 1: responds when the broker has acknowledged the message.

import { connectAsync } from "mqtt";
import { mapOrder } from "./order.ts";
import { serve } from "./server.ts";

const client = await connectAsync(process.env.MQTT_URL ?? "");

serve((body, answer) => {
  client.publish("bench/orders", mapOrder(body), { qos: 1 }, (error) => answer(error ? 503 : 200));
});
