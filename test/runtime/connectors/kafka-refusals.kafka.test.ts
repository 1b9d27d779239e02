// Records that a broker never accepts, among others that it does.

import kafkajs from "kafkajs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { UnfitMessages } from "../../../runtime/component/unfit-messages.ts";
import type { KafkaOutputOptions } from "../../../runtime/connectors/kafka/generated/output-options.ts";
import { kafkaOutput } from "../../../runtime/connectors/kafka/output.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import type { Batch } from "../../../runtime/message/message.ts";
import { startKafka } from "../../harness/brokers/kafka.ts";
import { batchOf, componentContext, textOfBatch } from "./contexts.ts";
import { connectKafka } from "./kafka-client.ts";

const test = suite("refused records of kafka");
const broker = await startKafka({
  settings: {
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "allow.everyone.if.no.acl.found": true,
  },
});
const peer = await connectKafka(broker.address);
const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = kafkajs;
const { ALLOW, DENY } = AclPermissionTypes;
const { ALL, DESCRIBE, WRITE } = AclOperationTypes;
for (const topic of ["good", "small", "unwritable", "hidden", "whole0", "whole1", "whole2"])
  await peer.createTopic(topic);
await peer.admin.alterConfigs({
  validateOnly: false,
  resources: [{ type: 2, name: "small", configEntries: [{ name: "max.message.bytes", value: "2000" }] }],
});
await peer.admin.createAcls({
  acl: (
    [
      ["unwritable", ALLOW, DESCRIBE],
      ["unwritable", DENY, WRITE],
      ["hidden", DENY, ALL],
    ] as const
  ).map(([resourceName, permissionType, operation]) => ({
    resourceName,
    permissionType,
    operation,
    resourceType: AclResourceTypes.TOPIC,
    resourcePatternType: ResourcePatternTypes.LITERAL,
    principal: "User:*",
    host: "*",
  })),
});
test.after(async () => {
  await peer.close();
  await broker.stop();
});

/** Each message is `TOPIC/CONTENT`. */
const target = (batch: Batch, index: number) =>
  textOfBatch(batch.slice(index, index + 1)).split("/")[0] ?? "";

/** Writes the texts as one batch; returns the failure, and the texts whose messages it names. */
function refusalOf(topic: KafkaOutputOptions["topic"], ...texts: string[]) {
  return refusalBy({ topic }, ...texts);
}

async function refusalBy(options: Omit<KafkaOutputOptions, "addresses">, ...texts: string[]) {
  const output = kafkaOutput({ addresses: [broker.address], ...options });
  await output.start(componentContext());
  const failure = await output.write(batchOf(...texts)).catch((error: unknown) => error);
  await output.close();
  assert.instance(failure, GatewayError);
  const named = failure instanceof UnfitMessages ? [...failure.failures.keys()] : undefined;
  return { failure, named: named?.map((message) => textOfBatch([message])) };
}

async function countIn(topic: string): Promise<number> {
  // The client that created the topics asks for all of them, also for those that it may not see.
  const reader = await connectKafka(broker.address);
  const [{ high } = { high: "0" }] = await reader.admin.fetchTopicOffsets(topic);
  await reader.close();
  return Number(high);
}

/** Returns the texts of a topic up to one, which is its last. */
async function readUntil(topic: string, last: string): Promise<readonly string[]> {
  const consumer = peer.client.consumer({ groupId: `reads-${topic}` });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  const texts: string[] = [];
  const isRead = Promise.withResolvers<void>();
  await consumer.run({
    async eachMessage({ message }) {
      texts.push(String(message.value));
      if (texts.at(-1) === last) isRead.resolve();
    },
  });
  await isRead.promise;
  await consumer.disconnect();
  return texts;
}

test("of a write, those records fail for good whose computed topic is not allowed, and the others are written once", async () => {
  const texts = ["good/1", "unwritable/2", "good/3", "hidden/4", "unwritable/5", "good/6"];
  const { failure, named } = await refusalOf(target, ...texts);
  assert.equal(named?.toSorted(), ["hidden/4", "unwritable/2", "unwritable/5"]);
  assert.ok(failure instanceof UnfitMessages && failure.othersDelivered);
  assert.is(await countIn("good"), 3);
  assert.equal((await refusalOf(target, "unwritable/7")).named, ["unwritable/7"]);
  assert.equal((await refusalOf(target, "hidden/8")).named, ["hidden/8"]);
});

test("no message is at fault for a topic that the document names", async () => {
  for (const topic of ["unwritable", "hidden"]) {
    const { failure, named } = await refusalOf(topic, "1", "2");
    assert.equal([named, (failure as GatewayError).status], [undefined, 502]);
  }
});

test("a record that is too large for its topic is at fault, alone or among others", async () => {
  const large = `small/${"x".repeat(4000)}`;
  assert.equal((await refusalOf(target, large)).named, [large]);
  assert.equal((await refusalOf("small", large)).named, [large]);
  const { failure, named } = await refusalOf(target, "small/1", large, "small/3");
  assert.equal([named, (failure as UnfitMessages).othersDelivered], [[], false]);
});

test("of a batch that is retried as a whole, those records fail for good that Kafka never accepts, and the others are written in order", async () => {
  const large = `small/${"x".repeat(4000)}`;
  for (const [index, bad] of [large, "unwritable/2", "hidden/3"].entries()) {
    const topic = `whole${index}`;
    const texts = [`${topic}/1`, bad, `${topic}/2`, `${topic}/3`, bad];
    const { failure, named } = await refusalBy({ topic: target, retry_as_batch: true }, ...texts);
    assert.equal(named, [bad, bad]);
    assert.ok(failure instanceof UnfitMessages && failure.othersDelivered);
    assert.is(failure.failures.size, 2);
    const expected = texts.filter((text) => text !== bad);
    assert.equal((await readUntil(topic, `${topic}/3`)).slice(-expected.length), expected);
  }
  for (const topic of ["unwritable", "hidden"]) {
    const { named } = await refusalBy({ topic, retry_as_batch: true }, "1", "2");
    assert.is(named, undefined, "the document names it");
  }
});

test.run();
