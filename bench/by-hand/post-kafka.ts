// POST → mapping → Kafka: a request is answered when all replicas have its record.

import { Kafka, logLevel, type Message } from "kafkajs";
import { mapOrder } from "./order.ts";
import { answerAll, serve } from "./server.ts";

const topic = process.env.TOPIC ?? "";
const client = new Kafka({ brokers: (process.env.KAFKA_BROKERS ?? "").split(","), logLevel: logLevel.ERROR });
const producer = client.producer();
await producer.connect();
let messages: Message[] = [];
let waiting: ((status: number) => void)[] = [];

/** One request for all records of a turn of the event loop. */
function flush(): void {
  const [sent, confirmed] = [messages, waiting];
  [messages, waiting] = [[], []];
  producer.send({ topic, acks: -1, messages: sent }).then(
    () => answerAll(confirmed, 200),
    () => answerAll(confirmed, 503),
  );
}

serve((body, answer) => {
  messages.push({ value: mapOrder(body) });
  if (waiting.push(answer) === 1) setImmediate(flush);
});
