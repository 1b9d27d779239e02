import { randomUUID } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { kafkaInput } from "../../../runtime/connectors/kafka/input.ts";
import { kafka } from "../../harness/brokers.ts";
import { unique } from "../../harness/names.ts";
import { until } from "../../harness/wait.ts";
import { inputContext } from "./contexts.ts";
import { connectKafka } from "./kafka-client.ts";

const test = suite("kafka scaling");
const broker = await kafka();
const addresses = [broker.address];
const peer = await connectKafka(broker.address);
const { producer } = peer;
test.after(async () => {
  await peer.close();
  await broker.stop();
});

const createTopic = (partitions: number) => peer.createTopic(unique("scaling"), partitions);

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
