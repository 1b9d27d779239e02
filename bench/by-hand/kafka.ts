// Writes records to Kafka for the hand-written programs.

import { Kafka, logLevel, type Message } from "kafkajs";
import { answerAll } from "./server.ts";

const topic = process.env.OUT ?? "";
const client = new Kafka({ brokers: (process.env.KAFKA_BROKERS ?? "").split(","), logLevel: logLevel.ERROR });
const producer = client.producer();
await producer.connect();
let messages: Message[] = [];
let waiting: ((status: number) => void)[] = [];

/** Sends one request for all records of an event loop iteration. */
function flush(): void {
  const [sent, confirmed] = [messages, waiting];
  [messages, waiting] = [[], []];
  producer.send({ topic, acks: -1, messages: sent }).then(
    () => answerAll(confirmed, 200),
    () => answerAll(confirmed, 503),
  );
}

/** Sends a record together with those of the same event loop iteration. `answer` gets 200 when all replicas have it. */
export function send(message: Message, answer: (status: number) => void): void {
  messages.push(message);
  if (waiting.push(answer) === 1) setImmediate(flush);
}
