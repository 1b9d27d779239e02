import kafkajs, { logLevel } from "kafkajs";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { startSecureKafka } from "../../harness/brokers/secure-kafka.ts";
import { streamFrom, streamTo, testedLines } from "./tested.ts";

const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, Kafka, ResourcePatternTypes } = kafkajs;

const broker = await startSecureKafka({
  "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
  "super.users": "User:ANONYMOUS",
});
const admin = new Kafka({ brokers: [broker.plain], logLevel: logLevel.NOTHING }).admin();
await admin.connect();
await admin.createTopics({
  topics: ["orders", "bills", "hidden"].map((topic) => ({ topic, numPartitions: 2 })),
  waitForLeaders: true,
});
const topic = AclResourceTypes.TOPIC;
await admin.createAcls({
  acl: [
    grant(topic, "orders", AclOperationTypes.READ),
    grant(topic, "bills", AclOperationTypes.WRITE),
    grant(topic, "none", AclOperationTypes.DESCRIBE),
    grant(AclResourceTypes.GROUP, "readers", AclOperationTypes.READ),
    grant(AclResourceTypes.GROUP, "watchers", AclOperationTypes.DESCRIBE),
  ],
});

function grant(resourceType: number, resourceName: string, operation: number) {
  return {
    resourceType,
    resourceName,
    resourcePatternType: ResourcePatternTypes.LITERAL,
    principal: `User:${broker.user}`,
    host: "*",
    operation,
    permissionType: AclPermissionTypes.ALLOW,
  };
}

test.after(async () => {
  await admin.disconnect();
  await broker.stop();
});

const { authority, client, stranger } = broker.certificates;
const tls = { enabled: true, root_cas: authority.cert };
const sasl = { mechanism: "PLAIN", user: broker.user, password: broker.password };
const plain = { addresses: [broker.plain] };
const known = { addresses: [broker.sasl], tls, sasl };
/** What comes before questions about topics, with one broker at one address. */
const entry = (address: string) => [`passed address ${address}`, "passed login"];

const read = (options: object) => testedLines(streamFrom({ kafka: options }));
const write = (options: object) => testedLines(streamTo({ kafka: options }));

test("topics, partitions, groups and permissions are checked", async () => {
  assert.equal(await read({ ...plain, topics: ["orders"], consumer_group: "readers" }), [
    ...entry(broker.plain),
    "passed topic orders",
    "passed right to read orders",
    "passed right to read as group readers",
  ]);
  assert.equal(await read({ ...known, topics: ["orders"], consumer_group: "readers" }), [
    ...entry(broker.sasl),
    "passed topic orders",
    "passed right to read orders",
    "passed right to read as group readers",
  ]);
  assert.equal((await write({ ...known, topic: "bills" })).slice(2), [
    "passed topic bills",
    "passed right to write bills",
  ]);
});

test("the check joins no group and creates no topic", async () => {
  assert.equal((await write({ ...plain, topic: "none" })).slice(2), [
    "failed topic none (missing): there is no such topic",
  ]);
  const { groups } = await admin.describeGroups(["readers"]);
  assert.equal(
    groups.map(({ members, state }) => [members.length, state]),
    [[0, "Dead"]],
  );
  assert.not.ok((await admin.listTopics()).includes("none"));
});

test("missing topics and partitions are failures, unless the gateway creates them", async () => {
  assert.equal((await read({ ...plain, topics: ["orders:1-2", "none"] })).slice(2), [
    "failed topic none (missing): there is no such topic",
    "failed topic orders (missing): it has no partition 2",
  ]);
  assert.equal(
    (await write({ ...plain, topic: "none", custom_topic_creation: { enabled: true } })).slice(2),
    ["untested topic none: it does not exist yet; the gateway creates it"],
  );
  assert.equal((await write({ ...plain, topic: 'orders-${! json("region") }' })).slice(2), [
    "untested topic: it is computed from each message",
  ]);
});

test("missing permissions are failures", async () => {
  assert.equal((await read({ ...known, topics: ["bills", "hidden"], consumer_group: "watchers" })).slice(2), [
    "passed topic bills",
    "failed right to read bills (forbidden): the user has no right to read there",
    "failed topic hidden (forbidden): the user may not see the topic",
    "failed right to read as group watchers (forbidden): the user has no right to read there",
  ]);
  assert.equal((await read({ ...known, topics: ["orders"], consumer_group: "others" })).slice(4), [
    "failed right to read as group others (forbidden): the user may not see the group",
  ]);
  assert.equal((await write({ ...known, topic: "orders" })).slice(3), [
    "failed right to write orders (forbidden): the user has no right to write there",
  ]);
});

test("a wrong password and missing credentials are distinguished", async () => {
  const wrong = { ...sasl, password: "open-barley" };
  assert.equal((await write({ ...known, sasl: wrong, topic: "bills" })).slice(1), [
    "failed login (authentication): the login is not accepted",
  ]);
  assert.equal((await write({ ...known, sasl: { mechanism: "none" }, topic: "bills" })).slice(1), [
    "failed login (refused): the broker closes the connection",
  ]);
});

test("server and client certificates are verified", async () => {
  const certified = { addresses: [broker.certified], topic: "bills" };
  const client_certs = [{ cert: client.cert, key: client.key }];
  assert.equal((await write({ ...certified, tls: { ...tls, client_certs } })).slice(0, 2), [
    `passed address ${broker.certified}`,
    "passed login",
  ]);
  assert.equal(await write({ ...certified, tls: { ...tls, root_cas: stranger.cert, client_certs } }), [
    `failed address ${broker.certified} (certificate): its certificate is not trusted`,
  ]);
  assert.equal(await write({ ...certified, tls }), [
    `failed address ${broker.certified} (certificate): the server requires another client certificate`,
  ]);
  assert.equal(await write({ ...plain, tls, topic: "bills" }), [
    `failed address ${broker.plain} (tls): the server closes the connection`,
  ]);
});

test("an advertised broker name that does not resolve is reported", async () => {
  assert.equal(await read({ addresses: [broker.misdirecting], topics: ["orders"] }), [
    `passed address ${broker.misdirecting}`,
    "failed login (unknown-host): the cluster redirects clients to kafka.invalid:9092, and the host is unknown",
  ]);
});

test("kafka_franz is tested the same way", async () => {
  const franz = { seed_brokers: known.addresses, tls };
  const method = { mechanism: "SCRAM-SHA-256", username: broker.user, password: broker.password };
  const input = { ...franz, sasl: [method], topics: ["^ord"], regexp_topics: true };
  assert.equal((await testedLines(streamFrom({ kafka_franz: input }))).slice(2), [
    "passed topics of the patterns",
    "passed topic orders",
    "passed right to read orders",
  ]);
  const output = { ...franz, sasl: [{ ...method, password: "wrong" }], topic: "bills" };
  assert.equal((await testedLines(streamTo({ kafka_franz: output }))).slice(1), [
    "failed login (authentication): the login is not accepted",
  ]);
});

test.run();
