// Kafka → mapping → Kafka: the records of a partition in one fetch are written as one request, then committed.

import { Kafka, logLevel } from "kafkajs";
import { mapOrder } from "./order.ts";

const { KAFKA_BROKERS = "", IN = "", OUT = "", GROUP = "" } = process.env;
const client = new Kafka({ brokers: KAFKA_BROKERS.split(","), logLevel: logLevel.ERROR });
const producer = client.producer();
const consumer = client.consumer({ groupId: GROUP });
await producer.connect();
await consumer.connect();
await consumer.subscribe({ topic: IN, fromBeginning: true });
await consumer.run({
  partitionsConsumedConcurrently: 4,
  eachBatch: async ({ batch }) => {
    const messages = batch.messages.map(({ value }) => ({ value: mapOrder(value ?? Buffer.alloc(0)) }));
    await producer.send({ topic: OUT, acks: -1, messages });
  },
});
console.log("reading");
process.on("SIGTERM", () => process.exit());
