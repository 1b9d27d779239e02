import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Lane } from "../../../runtime/connectors/kafka/lane.ts";
import { PartitionReader } from "../../../runtime/connectors/kafka/partition.ts";
import { createFnvPartitioner, fnv1a } from "../../../runtime/connectors/kafka/partitioner.ts";
import { Message } from "../../../runtime/message.ts";
import { Queue } from "../../harness/queue.ts";

const test = suite("kafka parts");

/** A reader whose deliveries wait for the test's word. */
function givenReader(limit: number) {
  const deliveries = new Queue<{ text: string; end(confirmed: boolean): void; abandon: AbortSignal }>();
  const fetching: string[] = [];
  const reader = new PartitionReader({
    limit,
    deliver: (message, abandon) =>
      new Promise((end) => deliveries.push({ text: Buffer.from(message.bytes()).toString(), end, abandon })),
    pauseFetching: () => fetching.push("pause"),
    resumeFetching: () => fetching.push("resume"),
  });
  return { reader, deliveries, fetching };
}

const records = (...offsets: number[]) =>
  offsets.map((offset) => ({ offset: BigInt(offset), message: Message.fromText(String(offset)) }));

test("the position is the oldest unconfirmed offset, however late others are confirmed", async () => {
  const { reader, deliveries } = givenReader(10);
  assert.is(reader.position, undefined);
  reader.take(records(5, 7, 8));
  assert.is(reader.position, 5n);
  const [five, seven, eight] = await deliveries.take(3);
  eight?.end(true);
  five?.end(true);
  await new Promise(setImmediate);
  assert.is(reader.position, 7n);
  seven?.end(true);
  await reader.idle();
  assert.is(reader.position, 9n);
  assert.is(reader.next, 9n);
});

test("fetching pauses while messages wait beyond the limit, and resumes before it runs dry", async () => {
  const { reader, deliveries, fetching } = givenReader(2);
  reader.take(records(0, 1, 2, 3, 4));
  assert.equal(fetching, ["pause"]);
  assert.is(deliveries.all.length, 2);
  for (const text of ["0", "1", "2"]) {
    const delivery = await deliveries.next();
    assert.is(delivery.text, text);
    delivery.end(true);
    await new Promise(setImmediate);
  }
  assert.equal(fetching, ["pause", "resume"]);
});

test("an abandoned reader hands over nothing more and confirms nothing it did not deliver", async () => {
  const { reader, deliveries, fetching } = givenReader(1);
  reader.take(records(0, 1, 2));
  const { end, abandon } = await deliveries.next();
  reader.abandon();
  assert.ok(abandon.aborted);
  assert.equal(fetching, ["pause", "resume"]);
  end(false);
  await reader.idle();
  assert.is(reader.position, 0n);
  assert.is(deliveries.all.length, 1);
});

test("the hash is FNV-1a, and keys that hash alike in other engines land alike", () => {
  // Reference values of the algorithm's authors.
  assert.is(fnv1a(Buffer.from("")), 0x811c9dc5);
  assert.is(fnv1a(Buffer.from("a")), 0xe40c292c);
  assert.is(fnv1a(Buffer.from("foobar")), 0xbf9cf968);
  const partitioner = createFnvPartitioner();
  const partitionMetadata = Array.from({ length: 7 }, (_, partitionId) => ({
    partitionId,
    partitionErrorCode: 0,
    leader: 1,
    replicas: [1],
    isr: [1],
  }));
  const place = (key: string | null) =>
    partitioner({ topic: "t", partitionMetadata, message: { key, value: "" } });
  // 0xbf9cf968 is -1080231576 as a signed number; 1080231576 % 7 = 6.
  assert.is(place("foobar"), 1080231576 % 7);
  for (let count = 0; count < 50; count++) assert.ok([0, 1, 2, 3, 4, 5, 6].includes(place(null)));
});

/** A lane whose requests wait for the test's word. */
function givenLane() {
  const requests = new Queue<{ values: unknown[]; end(error?: Error): void }>();
  let idle = 0;
  const lane = new Lane({
    send: (records) =>
      new Promise((resolve, reject) => {
        const end = (error?: Error) => (error === undefined ? resolve() : reject(error));
        requests.push({ values: records.map(({ value }) => value), end });
      }),
    isPermanent: (error) => error instanceof RangeError,
    onIdle: () => {
      idle += 1;
    },
  });
  const write = (value: string) =>
    lane.write([{ value }]).then(
      () => "confirmed",
      (error: Error) => error.message,
    );
  return { lane, requests, write, idleCount: () => idle };
}

test("what comes during a request shares the next one", async () => {
  const { requests, write, idleCount } = givenLane();
  const first = write("a");
  const { values, end } = await requests.next();
  assert.equal(values, ["a"]);
  const rest = Promise.all([write("b"), write("c")]);
  await new Promise(setImmediate);
  assert.is(requests.all.length, 1);
  end();
  assert.is(await first, "confirmed");
  const second = await requests.next();
  assert.equal(second.values, ["b", "c"]);
  second.end();
  assert.equal(await rest, ["confirmed", "confirmed"]);
  await new Promise(setImmediate);
  assert.is(idleCount(), 1);
});

test("a request stays below the size brokers take, but for a single large write", async () => {
  const { requests, write } = givenLane();
  const large = "x".repeat(600_000);
  const writes = [large, large, "y".repeat(2_000_000), "small"].map(write);
  const sizes: number[] = [];
  for (let count = 0; count < 4; count++) {
    const { values, end } = await requests.next();
    sizes.push(values.length);
    end();
  }
  assert.equal(sizes, [1, 1, 1, 1]);
  assert.equal(new Set(await Promise.all(writes)).size, 1);
});

test("a passing failure fails the request, a permanent one only the write it lies in", async () => {
  const { requests, write } = givenLane();
  const together = Promise.all([write("a"), write("b")]);
  (await requests.next()).end(new Error("no leader"));
  assert.equal(await together, ["no leader", "no leader"]);
  const again = Promise.all([write("good"), write("bad"), write("also good")]);
  (await requests.next()).end(new RangeError("too large"));
  for (const failure of [undefined, new RangeError("too large"), undefined])
    (await requests.next()).end(failure);
  assert.equal(await again, ["confirmed", "too large", "confirmed"]);
});

test.run();
