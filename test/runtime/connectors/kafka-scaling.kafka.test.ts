import { randomUUID } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createAssigner } from "../../../runtime/connectors/kafka/assigner.ts";
import { createConsumer } from "../../../runtime/connectors/kafka/group.ts";
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

test("members that join and leave keep every partition read, also with more members than partitions", async () => {
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
  assert.equal(
    read.toSorted(),
    written.toSorted(),
    "each once: what was confirmed is committed before another one reads",
  );
});

test("a member continues reading while its group waits for another member", async () => {
  const [topic, group] = [await createTopic(2), randomUUID()];
  const first = await joinReading(topic, group);
  const silent = await joinSilent(topic, group);
  await until(() => first.partitions().length === 1, { what: "a partition each" });
  const [kept = 0] = first.partitions();

  const joining = joinReading(topic, group);
  await until(() => first.hasLine("the group is rebalancing", 2), {
    what: "the second rebalance",
  });
  for (const value of ["one", "two", "three"]) {
    await producer.send({ topic, messages: [{ value, partition: kept }] });
    await until(() => first.texts.includes(value), { what: `${value}, read during the rebalance` });
  }
  const { groups } = await peer.admin.describeGroups([group]);
  assert.is(groups[0]?.state, "PreparingRebalance", "the group still waits for the silent member");

  await silent.leave();
  const second = await joining;
  const other = [0, 1].find((partition) => partition !== kept);
  await producer.send({ topic, messages: [{ value: "four", partition: other ?? 0 }] });
  await until(() => second.texts.includes("four"), { what: "the partition of the silent member" });
  await Promise.all([first.close(), second.close()]);
  assert.equal([first.texts, second.texts], [["one", "two", "three"], ["four"]]);
});

/** Starts an input of the gateway that confirms what it reads. */
async function joinReading(topic: string, group: string) {
  const context = inputContext();
  const texts: string[] = [];
  // A document may specify other defaults; the gateway notices another member earlier than these intervals.
  const times = { heartbeat_interval: 3000, session_timeout: 60_000, rebalance_timeout: 60_000 };
  const input = kafkaInput({ addresses, topics: [topic], consumer_group: group, group: times });
  await input.start({
    ...context,
    deliver: async ([message]) => {
      texts.push(Buffer.from(message?.bytes() ?? []).toString());
      return {};
    },
  });
  const linesOf = (text: string) => context.lines.filter(({ message }) => message === text);
  const partitions = () => {
    const line = linesOf("reading from Kafka").at(-1)?.fields.partitions as Record<string, number[]>; // the type of this field
    return line[topic] ?? [];
  };
  return {
    texts,
    partitions,
    hasLine: (text: string, count: number) => linesOf(text).length >= count,
    close: () => input.close(),
  };
}

/** Joins a member once. It ignores rebalances that other members start. */
async function joinSilent(topic: string, groupId: string) {
  const { cluster, protocols } = createConsumer(peer.client, [createAssigner(() => ({}))], { groupId });
  await cluster.connect();
  await cluster.addMultipleTargetTopics([topic]);
  // kafkajs's brokers have these methods, but its types do not declare them.
  const coordinator = (await cluster.findGroupCoordinator({ groupId })) as unknown as {
    joinGroup(request: object): Promise<{ memberId: string; generationId: number }>;
    syncGroup(request: object): Promise<unknown>;
    leaveGroup(request: object): Promise<unknown>;
  };
  const times = { sessionTimeout: 60_000, rebalanceTimeout: 60_000 };
  const joined = await coordinator.joinGroup({ groupId, ...times, groupProtocols: protocols([topic]) });
  const { memberId, generationId } = joined;
  await coordinator.syncGroup({ groupId, memberId, generationId, groupAssignment: [] });
  return {
    async leave() {
      await coordinator.leaveGroup({ groupId, memberId });
      await cluster.disconnect();
    },
  };
}

test.run();
