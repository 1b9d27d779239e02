import { randomUUID } from "node:crypto";
import { Kafka, logLevel } from "kafkajs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { kafkaInput } from "../../../runtime/connectors/kafka/input.ts";
import { kafka } from "../../harness/brokers.ts";
import { until } from "../../harness/wait.ts";
import { inputContext } from "./contexts.ts";

const test = suite("kafka scaling");
const broker = await kafka();
const addresses = [broker.address];
const client = new Kafka({ brokers: addresses, logLevel: logLevel.NOTHING });
const admin = client.admin();
const producer = client.producer();
await Promise.all([admin.connect(), producer.connect()]);
test.after(async () => {
  await Promise.all([admin.disconnect(), producer.disconnect()]);
  await broker.stop();
});

async function createTopic(partitions: number): Promise<string> {
  const topic = `scaling-${randomUUID()}`;
  await admin.createTopics({ waitForLeaders: false, topics: [{ topic, numPartitions: partitions }] });
  await until(async () => (await admin.fetchTopicOffsets(topic)).length === partitions);
  return topic;
}

test("members that come and go leave no partition unread, also when there are more of them than partitions", async () => {
  const partitions = [0, 1, 2];
  const [topic, group] = [await createTopic(partitions.length), randomUUID()];
  const read: string[] = [];
  const join = async () => {
    const context = inputContext();
    const input = kafkaInput({ addresses, topics: [topic], consumer_group: group, commit_period: 50 });
    await input.start({
      ...context,
      deliver: async ([message]) => {
        read.push(Buffer.from(message?.bytes() ?? []).toString());
        return {};
      },
    });
    return input;
  };
  const written: string[] = [];
  const round = async (name: string) => {
    const texts = partitions.map((partition) => `${name} ${partition}`);
    await producer.send({ topic, messages: texts.map((value, partition) => ({ value, partition })) });
    written.push(...texts);
    await until(() => texts.every((text) => read.includes(text)), { what: `all partitions, ${name}` });
  };
  const inputs = [];
  for (const count of [1, 2, 3, 4]) {
    inputs.push(await join());
    await round(`with ${count}`);
  }
  for (let input = inputs.pop(); input !== undefined; input = inputs.pop()) {
    await input.close();
    if (inputs.length > 0) await round(`after one of ${inputs.length + 1} has left`);
  }
  assert.equal([...new Set(read)].toSorted(), written.toSorted());
});

test.run();
