import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { suite } from "uvu";
import { kafkaFranzInput } from "../../../runtime/connectors/kafka/franz/input.ts";
import { requireProgram } from "../../harness/brokers/broker.ts";
import { kafka } from "../../harness/brokers.ts";
import { unique } from "../../harness/names.ts";
import { start } from "../../harness/processes.ts";
import { installFromPypi } from "../../harness/registry-packages.ts";
import { connectKafka } from "./kafka-client.ts";
import { joinInput, type Member, partitions, share, writeRecords } from "./kafka-members.ts";

const test = suite("kafka groups with librdkafka members");
const path = await installFromPypi({ name: "librdkafka", packages: ["confluent-kafka==2.11.1"] });
const broker = await kafka();
const peer = await connectKafka(broker.address);
test.after(async () => {
  await peer.close();
  await broker.stop();
});

/** Starts a member that uses librdkafka, in its own process. */
async function joinLibrdkafka(group: string, topic: string, strategy: string): Promise<Member> {
  const python = requireProgram("python3", "a member uses librdkafka's Python package");
  const source = join(import.meta.dirname, "librdkafka_member.py");
  const program = start(python, [source, broker.address, group, topic, strategy], {
    env: { PYTHONPATH: path },
  });
  const lines = (word: string) =>
    [...program.output().matchAll(new RegExp(`^${word} (.*)$`, "gm"))].map(([, rest = ""]) => rest);
  await program.matching(/^assigned /m);
  return {
    texts: () => lines("record"),
    partitions: () => lines("assigned").at(-1)?.split(",").map(Number) ?? [],
    leave: () => program.stop(),
  };
}

for (const [strategy, balancer] of [
  ["range", "range"],
  ["roundrobin", "round_robin"],
] as const) {
  test(`a gateway and a librdkafka member share a group by ${strategy}, whichever of them joined first`, async () => {
    const [group, topic] = [randomUUID(), await peer.createTopic(unique("shared"), partitions)];
    const input = () =>
      kafkaFranzInput({
        seed_brokers: [broker.address],
        topics: [topic],
        consumer_group: group,
        commit_period: 20,
        group_balancers: ["sticky", balancer],
      });
    const members: Member[] = [];
    const records = writeRecords(peer, topic, () => members);
    const led = await joinLibrdkafka(group, topic, strategy);
    members.push(led);
    await records.round("alone");
    const ours = await joinInput(input());
    members.push(ours);
    await share([led, ours]);
    await records.round("together");
    await led.leave();
    await share([ours]);
    await records.round("ours alone");
    const later = await joinLibrdkafka(group, topic, strategy);
    members.push(later);
    await share([ours, later]);
    await records.round("together again");
    await ours.leave();
    await later.leave();
    records.verify();
  });
}

test.run();
