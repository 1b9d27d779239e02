// POST → mapping → NATS: responds when the server has responded to a PING sent after the message.

import { connect } from "@nats-io/transport-node";
import { mapOrder } from "./order.ts";
import { answerAll, serve } from "./server.ts";

const connection = await connect({ servers: process.env.NATS_URL ?? "" });
let waiting: ((status: number) => void)[] = [];

/** Sends one PING for all messages of an event loop iteration. */
function flush(): void {
  const confirmed = waiting;
  waiting = [];
  connection.flush().then(
    () => answerAll(confirmed, 200),
    () => answerAll(confirmed, 503),
  );
}

serve((body, answer) => {
  connection.publish("bench.orders", mapOrder(body));
  if (waiting.push(answer) === 1) setImmediate(flush);
});
