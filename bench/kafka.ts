// `node bench/kafka.ts`: measures how many records per second the output writes to a local Kafka while it collects
// concurrent messages, compared with one client request per message. Both are measured alternately in one run.

import { Kafka, logLevel } from "kafkajs";
import { kafkaOutput } from "../runtime/connectors/kafka/output.ts";
import { Message } from "../runtime/message/message.ts";
import { createLogger } from "../runtime/process/log.ts";
import { kafka } from "../test/harness/brokers.ts";

const rounds = 5;
const messagesPerRound = 3000;
/** Number of messages in flight. */
const concurrency = 256;
/** Minimum speedup of collecting. */
const goal = 4;

const broker = await kafka();
const context = { log: createLogger("silent"), signal: new AbortController().signal };
const output = kafkaOutput({ addresses: [broker.address], topic: "bench-collected" });
await output.start(context);
const client = new Kafka({ brokers: [broker.address], logLevel: logLevel.NOTHING });
const producer = client.producer();
await producer.connect();

const content = JSON.stringify({ id: 1, text: "x".repeat(180) });
const collected = () => output.write([Message.fromText(content)]);
const single = () => producer.send({ topic: "bench-single", acks: -1, messages: [{ value: content }] });

const rates: Record<"collected" | "single", number[]> = { collected: [], single: [] };
for (const write of [collected, single]) await rateOf(write, 500); // creates the topics and warms up
for (let round = 0; round < rounds; round += 1) {
  rates.collected.push(await rateOf(collected, messagesPerRound));
  rates.single.push(await rateOf(single, messagesPerRound));
}
const ratio = median(rates.collected) / median(rates.single);
const shown = `${Math.round(median(rates.collected))} a second, ${Math.round(median(rates.single))} by one send each`;
console.log(
  `${ratio >= goal ? "    " : "miss"}  kafka output  ${ratio.toFixed(1)} times (at least ${goal}); ${shown}`,
);
await output.close();
await producer.disconnect();
await broker.stop();
process.exitCode = process.argv.includes("--check") && ratio < goal ? 1 : 0;

/** Returns the messages per second. */
async function rateOf(write: () => Promise<unknown>, count: number): Promise<number> {
  const begun = performance.now();
  let left = count;
  const lane = async () => {
    while (left-- > 0) await write();
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  return (count * 1000) / (performance.now() - begun);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
