import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { suite } from "uvu";
import { kafkaFranzInput } from "../../../runtime/connectors/kafka/franz/input.ts";
import { kafkaInput } from "../../../runtime/connectors/kafka/input.ts";
import { requireProgram } from "../../harness/brokers/broker.ts";
import { kafkaJars } from "../../harness/brokers/kafka-jars.ts";
import { kafka } from "../../harness/brokers.ts";
import { unique } from "../../harness/names.ts";
import { findProgram, start } from "../../harness/processes.ts";
import { connectKafka } from "./kafka-client.ts";
import { joinInput, type Member, partitions, share, writeRecords } from "./kafka-members.ts";

const test = suite("kafka groups with Java members");
const broker = await kafka();
const peer = await connectKafka(broker.address);
test.after(async () => {
  await peer.close();
  await broker.stop();
});

/** Whether a JDK is installed. The member runs from its source, which a Java runtime without a compiler cannot do. */
const hasCompiler = findProgram("javac") !== undefined;
if (!hasCompiler) console.log("skipped: javac is not installed (Debian package default-jdk-headless)");
const testWithJava = hasCompiler ? test : test.skip;

/** Starts a member that uses Apache Kafka's own client, in its own process. */
async function joinJava(group: string, topic: string, ...settings: readonly string[]): Promise<Member> {
  const java = requireProgram("java", "a JDK of version 17 or newer runs a member from its source");
  const source = join(import.meta.dirname, "JavaMember.java");
  const options = ["-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"];
  const classes = ["-cp", join(await kafkaJars(), "*"), "-Dorg.slf4j.simpleLogger.defaultLogLevel=error"];
  const program = start(java, [
    ...options,
    ...classes,
    source,
    broker.address,
    group,
    topic,
    "group.protocol",
    "classic",
    ...settings,
  ]);
  const lines = (word: string) =>
    [...program.output().matchAll(new RegExp(`^${word} (.*)$`, "gm"))].map(([, rest = ""]) => rest);
  await program.matching(/^assigned /m);
  return {
    texts: () => lines("record"),
    partitions: () => lines("assigned").at(-1)?.split(",").map(Number) ?? [],
    leave: () => program.stop(),
  };
}

testWithJava(
  "a Java member joins a gateway's group and leaves it, and each record is read once",
  async () => {
    const [group, topic] = [randomUUID(), await peer.createTopic(unique("shared"), partitions)];
    const input = kafkaInput({
      addresses: [broker.address],
      topics: [topic],
      consumer_group: group,
      commit_period: 20,
    });
    const ours = await joinInput(input);
    const members: Member[] = [ours];
    const records = writeRecords(peer, topic, () => members);
    await share([ours]);
    await records.round("alone");
    const java = await joinJava(group, topic);
    members.push(java);
    await share([ours, java]);
    await records.round("together");
    await java.leave();
    await share([ours]);
    await records.round("alone again");
    await ours.leave();
    records.verify();
  },
);

testWithJava("a gateway joins a group that a Java member leads, by an assignor of its choice", async () => {
  const [group, topic] = [randomUUID(), await peer.createTopic(unique("led"), partitions)];
  const roundRobin = "org.apache.kafka.clients.consumer.RoundRobinAssignor";
  const java = await joinJava(group, topic, "partition.assignment.strategy", roundRobin);
  const members: Member[] = [java];
  const records = writeRecords(peer, topic, () => members);
  await records.round("alone");
  const ours = await joinInput(
    kafkaFranzInput({
      seed_brokers: [broker.address],
      topics: [topic],
      consumer_group: group,
      commit_period: 20,
    }),
  );
  members.push(ours);
  await share([java, ours]);
  await records.round("together");
  await ours.leave();
  await share([java]);
  await records.round("alone again");
  await java.leave();
  records.verify();
});

test.run();
