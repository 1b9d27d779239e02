import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  fnv1a,
  fnv1aHash,
  leastBackup,
  manual,
  murmur2,
  murmur2Hash,
  type Partitioner,
  randomPartition,
  roundRobin,
  uniformBytes,
} from "../../../runtime/connectors/kafka/partitioner.ts";
import { GatewayError } from "../../../runtime/errors.ts";

const test = suite("kafka partitioners");

const bytes = (text: string) => Buffer.from(text);
const counts = (count: number) => ({ count, pending: () => 0 });
const place = (partitioner: Partitioner, key: string | null, count = 7, size = 100) =>
  partitioner({ key: key === null ? null : bytes(key), size, partition: "" }, counts(count));

test("FNV-1a matches the published values, and its sign is dropped after the division", () => {
  assert.is(fnv1a(bytes("")), 0x811c9dc5);
  assert.is(fnv1a(bytes("a")), 0xe40c292c);
  assert.is(fnv1a(bytes("foobar")), 0xbf9cf968);
  // 0xbf9cf968 is -1080231576 as a signed number.
  assert.is(place(fnv1aHash(), "foobar"), 1080231576 % 7);
});

test("murmur2 matches Kafka's Java client", () => {
  // From the tests of Apache Kafka's own clients.
  for (const [key, hash] of [
    ["21", -973932308],
    ["foobar", -790332482],
    ["a-little-bit-long-string", -985981536],
    ["a-little-bit-longer-string", -1486304829],
    ["lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971],
    ["abc", 479470107],
  ] as const) {
    assert.is(murmur2(bytes(key)), hash, key);
  }
  assert.is(place(murmur2Hash(), "foobar"), (-790332482 & 0x7fffffff) % 7);
  assert.is(place(leastBackup(), "foobar"), place(murmur2Hash(), "foobar"));
});

test("records without a key go to a random partition, and with `random` all records do", () => {
  for (const [partitioner, key] of [
    [fnv1aHash(), null],
    [murmur2Hash(), null],
    [randomPartition(), "same"],
  ] as const) {
    const seen = new Set(Array.from({ length: 300 }, () => place(partitioner, key)));
    assert.equal([...seen].toSorted(), [0, 1, 2, 3, 4, 5, 6]);
  }
});

test("round_robin rotates over the partitions, also when partitions are added", () => {
  const partitioner = roundRobin();
  assert.equal(
    [2, 2, 2, 4, 4, 4, 4].map((count) => place(partitioner, "same", count)),
    [0, 1, 0, 1, 2, 3, 0],
  );
});

test("least_backup selects the partition with the fewest pending records", () => {
  const waiting = [5, 3, 1, 4];
  const spread = { count: 4, pending: (partition: number) => waiting[partition] ?? 0 };
  assert.is(leastBackup()({ key: null, size: 1, partition: "" }, spread), 2);
});

test("uniform_bytes changes the partition after a number of bytes; keys are hashed if configured", () => {
  const partitioner = uniformBytes({ bytes: 250, keys: false });
  const places = Array.from({ length: 40 }, () => place(partitioner, "same"));
  for (let index = 0; index < 40; index += 2) {
    assert.is(places[index], places[index + 1]);
    assert.is.not(places[index + 1], places[index + 2]);
  }
  const hashing = uniformBytes({ bytes: 250, keys: true });
  assert.is(place(hashing, "foobar"), place(murmur2Hash(), "foobar"));
});

test("`manual` selects an existing partition by number", () => {
  const choose = (partition: string) => manual()({ key: null, size: 1, partition }, counts(3));
  assert.is(choose("2"), 2);
  assert.is(choose(" 0\n"), 0);
  for (const wrong of ["3", "-1", "", "one", "1.5"]) {
    try {
      choose(wrong);
      assert.unreachable(wrong);
    } catch (error) {
      assert.instance(error, GatewayError, wrong);
      assert.ok(error instanceof GatewayError && !error.retryable);
    }
  }
});

test.run();
