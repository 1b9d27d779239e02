// MQTT → mapping → NATS: a message is acknowledged when the server has responded to a PING sent after its result. The
// client acknowledges a message as soon as it is handled, so its PUBACKs are held back until then.

import { connect } from "@nats-io/transport-node";
import { connectAsync, type Packet } from "mqtt";
import { mapOrder } from "./order.ts";

type Send = (packet: Packet, callback?: () => void, ...rest: unknown[]) => void;

const { NATS_URL = "", MQTT_URL = "", IN = "", OUT = "", CLIENT_ID = "" } = process.env;
const connection = await connect({ servers: NATS_URL });
const client = await connectAsync(MQTT_URL, { clientId: CLIENT_ID });
const sender = client as unknown as { _sendPacket: Send }; // a private method that sends the acknowledgements
const send = sender._sendPacket.bind(client);
let held: Packet[] = [];

sender._sendPacket = (packet, callback, ...rest) => {
  if (packet.cmd !== "puback") return send(packet, callback, ...rest);
  if (held.push(packet) === 1) setImmediate(() => void flush());
  callback?.();
};

/** Sends one PING for all messages of an event loop iteration, and then their acknowledgements. */
async function flush(): Promise<void> {
  const confirmed = held;
  held = [];
  await connection.flush();
  for (const packet of confirmed) send(packet);
}

client.on("message", (_topic, payload) => connection.publish(OUT, mapOrder(payload)));
await client.subscribeAsync(IN, { qos: 1 });
console.log("reading");
process.on("SIGTERM", () => process.exit());
