// Records to Kafka, as the programs by hand send them.

import { Kafka, logLevel, type Message } from "kafkajs";
import { answerAll } from "./server.ts";

const topic = process.env.OUT ?? "";
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

/** Sends a record with those of the same turn of the event loop; `answer` gets 200 when all replicas have it. */
export function send(message: Message, answer: (status: number) => void): void {
  messages.push(message);
  if (waiting.push(answer) === 1) setImmediate(flush);
}
