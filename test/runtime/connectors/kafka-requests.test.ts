import { createRequire } from "node:module";
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isPermanent, kafkaErrorType } from "../../../runtime/connectors/kafka/client.ts";
import { compressions, installCodecs } from "../../../runtime/connectors/kafka/codecs.ts";
import { writerSettings } from "../../../runtime/connectors/kafka/output.ts";
import { decodeProduced, encodeProduce } from "../../../runtime/connectors/kafka/produce.ts";
import { recordFromMessage } from "../../../runtime/connectors/kafka/record.ts";
import { compressedRecords, plainRecords } from "../../../runtime/connectors/kafka/record-batch.ts";
import { createHeaderEncoder, noHeaders } from "../../../runtime/connectors/kafka/record-headers.ts";
import { Requests } from "../../../runtime/connectors/kafka/requests.ts";
import type { PartitionRecords } from "../../../runtime/connectors/kafka/sender.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { Message } from "../../../runtime/message/message.ts";
import { type ClusterOptions, encodeAnswer, givenCluster, type ProducedRequest } from "./kafka-cluster.ts";

const test = suite("kafka requests");

const base = { addresses: ["localhost:9092"], topic: "orders" };
const recordOf = (value: string) => recordFromMessage(Message.fromText(value), "", () => noHeaders);
const part = (partition: number, topic = "orders", count = 1): PartitionRecords => ({
  topic,
  partition,
  records: Array.from({ length: count }, () => recordOf("a")),
  size: 71,
});

function givenRequests(options: Parameters<typeof writerSettings>[0], behaviour: ClusterOptions = {}) {
  const given = givenCluster(behaviour);
  const noted: string[] = [];
  const onPartitions = (topic: string, { length }: readonly unknown[]) => noted.push(`${topic} ${length}`);
  return {
    ...given,
    noted,
    requests: new Requests(given.cluster, { ...writerSettings(options), onPartitions }),
  };
}

const placesOf = ({ parts }: ProducedRequest) => parts.map(({ topic, partition }) => `${topic} ${partition}`);

test("all replicas acknowledge unless configured otherwise", async () => {
  for (const [options, acks] of [
    [base, -1],
    [{ ...base, ack_replicas: false }, 1],
  ] as const) {
    const { requests, ...given } = givenRequests({ ...options, compression: "lz4", timeout: 1234 });
    assert.is((await requests.sendOnce([part(0), part(1), part(0, "payments")])).size, 0);
    await requests.disconnect();
    const [request] = given.sent;
    assert.is(request?.acks, acks);
    assert.is(request?.timeout, 1234);
    assert.equal(request && placesOf(request), ["orders 0", "orders 1", "payments 0"]);
    assert.equal(
      request?.parts.map(({ compression }) => compression),
      [3, 3, 3],
    );
    assert.equal(new Set(given.noted), new Set(["orders 4", "payments 1"]));
    assert.ok(given.counts.disconnected);
  }
});

test("each leader gets one request", async () => {
  const { requests, sent } = givenRequests(base, { leaders: { orders: [1, 2, 1] } });
  assert.is((await requests.sendOnce([part(0), part(1), part(2)])).size, 0);
  assert.equal(
    sent.map((request) => [request.leader, placesOf(request)]),
    [
      [1, ["orders 0", "orders 2"]],
      [2, ["orders 1"]],
    ],
  );
});

const outOfDate = 6; // NOT_LEADER_OR_FOLLOWER
const tooLarge = 10; // MESSAGE_TOO_LARGE
const requestTimedOut = 7; // REQUEST_TIMED_OUT: the leader may have written the records

test("what a broker refuses of a request fails, and nothing else of it is sent again", async () => {
  const parts = [part(0), part(1), part(2)];
  const refusing = givenRequests(base, { answer: ({ partition }) => (partition === 1 ? tooLarge : 0) });
  const failures = await refusing.requests.sendOnce(parts);
  assert.equal([...failures.keys()], [parts[1]]);
  assert.ok(isPermanent(failures.get(part1(parts))));
  assert.is(refusing.counts.lookedUp, 1);
  const moving = givenRequests(base, {
    answer: ({ partition }, { parts: { length } }) => (length === 3 && partition === 1 ? outOfDate : 0),
  });
  await moving.requests.sendQuickly(parts);
  assert.equal(moving.sent.map(placesOf), [["orders 0", "orders 1", "orders 2"], ["orders 1"]]);
  assert.is(moving.counts.lookedUp, 2, "the new leader is looked up");
});

const part1 = ([, second = part(1)]: readonly PartitionRecords[]) => second;

test("partitions missing from the response, and those without a leader, count as not written", async () => {
  const parts = [part(0), part(1)];
  let calls = 0;
  const silent = givenRequests(base, {
    answer: ({ partition }) => (partition === 0 && calls++ === 0 ? undefined : 0),
  });
  const failure = (await silent.requests.sendOnce(parts)).get(parts[0] ?? part(0));
  assert.ok(failure instanceof GatewayError && failure.retryable);
  const mended = givenRequests(base, { answer: () => (calls++ === 1 ? undefined : 0) });
  calls = 1;
  await mended.requests.sendQuickly([part(0)]);
  assert.is(mended.sent.length, 2);
  const leaderless = givenRequests(base, { leaders: { orders: [1, -1] } });
  assert.equal([...(await leaderless.requests.sendOnce(parts)).keys()], [parts[1]]);
  assert.equal(leaderless.sent.map(placesOf), [["orders 0"]]);
});

test("what is wrong with one topic fails its own records only, until it is mended", async () => {
  const topicErrors: Record<string, number> = { payments: 3 };
  const { requests, sent } = givenRequests(base, { topicErrors });
  const parts = [part(0), part(0, "payments")] as const;
  const failures = await requests.sendOnce(parts);
  assert.equal([...failures.keys()], [parts[1]]);
  assert.is(kafkaErrorType(failures.get(parts[1])), "UNKNOWN_TOPIC_OR_PARTITION");
  topicErrors.payments = 29;
  assert.is(kafkaErrorType((await requests.sendOnce(parts)).get(parts[1])), "TOPIC_AUTHORIZATION_FAILED");
  assert.is(
    kafkaErrorType(await requests.meet("payments").catch((error: unknown) => error)),
    "TOPIC_AUTHORIZATION_FAILED",
  );
  delete topicErrors.payments;
  assert.is((await requests.sendOnce(parts)).size, 0);
  assert.equal(sent.map(placesOf), [["orders 0"], ["orders 0"], ["orders 0", "payments 0"]]);
});

test("after a request that no broker answers, the leader is looked up", async () => {
  const leaders = { orders: [1] };
  const { requests, sent } = givenRequests(base, {
    leaders,
    answer: () => {
      if (sent.length > 1) return 0;
      leaders.orders = [2];
      throw Object.assign(new Error("timed out"), { name: "KafkaJSRequestTimeoutError" });
    },
  });
  await requests.sendQuickly([part(0)]);
  assert.equal(
    sent.map(({ leader }) => leader),
    [1, 2],
  );
});

test("topics that are no longer written to are looked up a limited number of times", async () => {
  const names = Array.from({ length: 10_010 }, (_, index) => `t${index}`);
  const { requests, cluster } = givenRequests(base, {
    leaders: Object.fromEntries(names.map((name) => [name, [1]])),
  });
  await requests.sendOnce(names.map((name) => part(0, name)));
  await requests.sendOnce([part(0, "t5")]);
  assert.is(cluster.targetTopics.size, 10_010, "known topics need no lookup");
  await requests.meet("t7");
  assert.is(cluster.targetTopics.size, 1);
  assert.is((await requests.sendOnce([part(0, "t5")])).size, 0);
});

test("a lost request fails all of its parts", async () => {
  const lost = () => {
    throw new Error("Closed connection");
  };
  const { requests } = givenRequests(base, { answer: lost });
  assert.is((await requests.sendOnce([part(0), part(1)])).size, 2);
});

test("a broker that supports no version of the request is reported", async () => {
  const { requests, sent } = givenRequests(base, { maxVersion: 2 });
  const failures = await requests.sendOnce([part(0)]);
  assert.ok(isPermanent([...failures.values()][0]));
  assert.is(sent.length, 0);
});

test("a response that is cut short is never taken for a confirmation", () => {
  for (const version of [3, 5, 7]) {
    const whole = encodeAnswer([[{ topic: "orders", partition: 3 }, 0]], version);
    assert.equal(decodeProduced(whole, version).answers, [{ topic: "orders", partition: 3, errorCode: 0 }]);
    for (let length = 0; length < whole.length; length += 1)
      assert.throws(() => decodeProduced(whole.subarray(0, length), version), "range");
    const without = Buffer.from(whole);
    without.writeInt32BE(-1);
    assert.throws(() => decodeProduced(without, version), "longer");
    const claiming = Buffer.from(whole);
    claiming.writeInt32BE(2 ** 31 - 1);
    assert.throws(() => decodeProduced(claiming, version), "range");
  }
});

const kafkaBytes = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes));
const kafkaRecord = fc.record({
  key: fc.option(kafkaBytes),
  value: kafkaBytes,
  headers: fc.dictionary(fc.oneof(fc.string({ unit: "grapheme" }), fc.constant("__proto__")), kafkaBytes, {
    noNullPrototype: true,
  }),
});

test("requests are encoded to the same bytes as by kafkajs", async () => {
  installCodecs();
  const encodeHeaders = createHeaderEncoder({ passes: () => true, fixed: {} });
  const produce = createRequire(import.meta.url)("kafkajs/src/protocol/requests/produce/v7/request");
  const request = fc.record({
    // In the order in which kafkajs groups topics and partitions.
    places: fc.constantFrom(["a 0"], ["a 0", "a 3", "é 7"]),
    records: fc.array(kafkaRecord, { minLength: 1, maxLength: 150 }),
    compression: fc.constantFrom("none" as const, "gzip" as const, "lz4" as const),
    time: fc.integer({ min: 0, max: 2 ** 45 }),
    firstSequence: fc.integer({ min: -1, max: 2 ** 31 - 1 }),
    id: fc.bigInt({ min: -1n, max: 2n ** 63n - 1n }),
  });
  const encodeBoth = async (each: typeof request extends fc.Arbitrary<infer R> ? R : never) => {
    const { places, records, compression, time, firstSequence, id } = each;
    const { type, codec } = compressions[compression];
    const written = records.map(({ key, value, headers }) => ({
      key,
      value,
      encodedHeaders: encodeHeaders(Message.fromBytes(value, new Map(Object.entries(headers)))),
      origin: undefined,
    }));
    const parts = places.map((place) => {
      const [topic = "", partition] = place.split(" ");
      return { topic, partition: Number(partition), firstSequence, id, epoch: 5 };
    });
    const prepared = await (codec === undefined
      ? plainRecords(written)
      : compressedRecords(written, codec.compress));
    const fields = { acks: -1, timeout: 7, time, compression: type } as const;
    const ours = encodeProduce(
      parts.map((each) => ({ ...each, records: prepared })),
      fields,
    );
    const messages = records.map((record) => ({ ...record, timestamp: time }));
    const topicData = [...Map.groupBy(parts, ({ topic }) => topic)].map(([topic, ofTopic]) => ({
      topic,
      partitions: ofTopic.map(({ partition }) => ({ partition, firstSequence, messages })),
    }));
    const theirs = await produce({
      ...{ acks: -1, timeout: 7, compression: type, topicData, producerEpoch: 5 },
      producerId: String(id),
    }).encode();
    return { ours, theirs: theirs.buffer as Buffer };
  };
  await fc.assert(
    fc.asyncProperty(request, async (each) => {
      const { ours, theirs } = await encodeBoth(each);
      assert.ok(ours.equals(theirs));
    }),
    { seed: 17, numRuns: 150 },
  );
});

const idempotent = { ...base, idempotent_write: true };
const numbersOf = ({ parts }: ProducedRequest) =>
  parts.map(({ producerId, firstSequence }) => `${producerId} ${firstSequence}`);

test("an idempotent producer numbers its records, and what was not confirmed has the same numbers again", async () => {
  const { requests, sent, counts } = givenRequests(idempotent, {
    answer: () => (sent.length === 2 ? outOfDate : 0),
  });
  await requests.connect();
  await requests.sendOnce([part(0, "orders", 3), part(1)]);
  const repeated = part(0, "orders", 2);
  await requests.sendOnce([repeated]);
  await requests.sendOnce([{ ...repeated }]);
  await requests.sendOnce([part(0), part(1)]);
  assert.equal(sent.map(numbersOf), [["71 0", "71 0"], ["71 3"], ["71 3"], ["71 5", "71 1"]]);
  assert.is(counts.introduced, 1);
});

test("records after a write with an unknown outcome get a new producer, and other partitions keep theirs", async () => {
  const { requests, sent } = givenRequests(idempotent, {
    answer: () => {
      if (sent.length === 1 || sent.length === 2) throw new Error("Closed connection");
      return sent.length === 5 ? requestTimedOut : 0;
    },
  });
  const [first, second] = [part(0), part(1)];
  await requests.sendOnce([first]);
  await requests.sendOnce([second]);
  await requests.sendOnce([part(0)]); // `first` is given up
  await requests.sendOnce([second]);
  await requests.sendOnce([part(0, "orders", 2)]);
  await requests.sendOnce([part(0)]); // a part of what may have been written
  await requests.sendOnce([part(1), part(2)]);
  assert.equal(sent.map(numbersOf), [
    ["71 0"],
    ["71 0"],
    ["72 0"],
    ["71 0"],
    ["72 1"],
    ["73 0"],
    ["71 1", "73 0"],
  ]);
});

test("a permanent refusal needs no new producer, unless an earlier attempt may have been written", async () => {
  const { requests, sent, counts } = givenRequests(idempotent, {
    answer: () => [tooLarge, 0, requestTimedOut, tooLarge, 0][sent.length - 1],
  });
  await requests.sendOnce([part(0, "orders", 2)]);
  await requests.sendOnce([part(0)]);
  const repeated = part(0);
  await requests.sendOnce([repeated]);
  await requests.sendOnce([repeated]);
  await requests.sendOnce([part(0)]);
  assert.equal(sent.map(numbersOf), [["71 0"], ["71 0"], ["71 1"], ["71 1"], ["72 0"]]);
  assert.is(counts.introduced, 2);
});

test("numbers that a broker no longer accepts are replaced at once", async () => {
  for (const code of [45, 47, 49, 59]) {
    const { requests, sent } = givenRequests(idempotent, { answer: () => (sent.length === 2 ? code : 0) });
    await requests.sendQuickly([part(0), part(1)]);
    await requests.sendQuickly([part(0)]);
    await requests.sendQuickly([part(1)]);
    assert.equal(sent.map(numbersOf), [["71 0", "71 0"], ["71 1"], ["72 0"], ["71 1"]]);
  }
});

test("records that the broker has already are confirmed", async () => {
  const duplicate = 46;
  const { requests, sent } = givenRequests(idempotent, { answer: () => (sent.length === 1 ? duplicate : 0) });
  assert.is((await requests.sendOnce([part(0)])).size, 0);
  await requests.sendOnce([part(0)]);
  assert.equal(sent.map(numbersOf), [["71 0"], ["71 1"]]);
});

test("brokers know no producer that is not idempotent", async () => {
  const { requests, sent, counts } = givenRequests(base);
  await requests.connect();
  await requests.sendOnce([part(0)]);
  assert.is(counts.introduced, 0);
  assert.equal(sent.map(numbersOf), [["-1 -1"]]);
});

test.run();
