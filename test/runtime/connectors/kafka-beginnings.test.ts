import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Beginnings } from "../../../runtime/connectors/kafka/beginnings.ts";
import { type OffsetLookup, partOf } from "../../../runtime/connectors/kafka/offsets.ts";
import { findStarts, type Start } from "../../../runtime/connectors/kafka/starts.ts";

const test = suite("kafka beginnings");

const partitions = [0, 1, 2].map((partition) => ({ topic: "orders", partition }));
const [first, second, third] = ["0 orders", "1 orders", "2 orders"];

/** Brokers that have records 10 to 99 of each partition. The group has committed offset 40 of the first partition. */
const lookup: OffsetLookup = {
  committed: async () => new Map([["0 orders", 40n]]),
  earliest: async (asked) => new Map(asked.map((each) => [partOf(each), 10n])),
  latest: async (asked) => new Map(asked.map((each) => [partOf(each), 100n])),
};

const offsetsOf = (starts: readonly Start[]) =>
  Object.fromEntries(starts.map((start) => [partOf(start), Number(start.offset)]));

test("partitions start at the committed offset, or else where the configuration says", async () => {
  const oldest = await findStarts(lookup, partitions, { isStored: true, fromBeginning: true });
  assert.equal(offsetsOf(oldest), { [`${first}`]: 40, [`${second}`]: 10, [`${third}`]: 10 });
  assert.ok(oldest.every(({ isUsual, end }) => isUsual && end === 100n));
  const newest = await findStarts(lookup, partitions, { isStored: true, fromBeginning: false });
  assert.equal(offsetsOf(newest), { [`${first}`]: 40, [`${second}`]: 100, [`${third}`]: 100 });
  // The client would look up the latest offset again, and get another one if something has been written since.
  assert.equal(
    newest.map(({ isUsual }) => isUsual),
    [true, false, false],
  );
});

test("positions win over committed offsets, and positions out of range start with the oldest record", async () => {
  const positions = new Map([
    ["0 orders", 70n],
    ["1 orders", 3n],
    ["7 orders", 3n],
  ]);
  for (const [fromBeginning, last] of [
    [true, 10],
    [false, 100],
  ] as const) {
    const starts = await findStarts(lookup, partitions, { isStored: false, fromBeginning, positions });
    assert.equal(offsetsOf(starts), { [`${first}`]: 70, [`${second}`]: 10, [`${third}`]: last });
  }
});

test("new partitions, and all partitions of a topic that was created again, start with the oldest record", async () => {
  const settings = { isStored: false, fromBeginning: false };
  const grown = new Map([
    ["orders", 2n],
    ["0 orders", 70n],
  ]);
  const starts = await findStarts(lookup, partitions, { ...settings, positions: grown });
  assert.equal(offsetsOf(starts), { [`${first}`]: 70, [`${second}`]: 100, [`${third}`]: 10 });
  assert.ok(starts.every(({ isUsual }) => !isUsual));
  const beyond = new Map([
    ["0 orders", 100n],
    ["1 orders", 101n],
    ["2 orders", 9_999_999_999_999_999_999n],
  ]);
  const anew = await findStarts(lookup, partitions, { ...settings, positions: beyond });
  assert.equal(offsetsOf(anew), { [`${first}`]: 100, [`${second}`]: 10, [`${third}`]: 10 });
});

function given(closing = new AbortController()) {
  const begun: string[][] = [];
  const beginnings = new Beginnings({
    isStored: true,
    fromBeginning: true,
    closing: closing.signal,
    begin: (starts) => {
      begun.push(starts.map(partOf));
      return new Set(["1 orders"]);
    },
  });
  return { beginnings, begun, closing };
}

const orders = (partition: number) => ({ topic: "orders", partition });

test("records fetched before a partition was sought elsewhere are discarded", async () => {
  const { beginnings, begun } = given();
  beginnings.start(lookup, partitions);
  const early = [0, 1].map((partition) => beginnings.isValid(orders(partition)));
  assert.equal(await Promise.all(early), [true, false]);
  assert.ok(await beginnings.isValid(orders(1)), "it comes from there now");
  assert.equal(begun, [[first, second, third]]);
});

test("a failed lookup is retried, and its answer is discarded after another assignment", async () => {
  const { beginnings, begun } = given();
  let failures = 2;
  const { promise: answer, resolve: answerNow } = Promise.withResolvers<void>();
  const hesitant: OffsetLookup = {
    ...lookup,
    latest: async (asked) => {
      if (failures-- > 0) throw new Error("the leader moves");
      await answer;
      return lookup.latest(asked);
    },
  };
  beginnings.start(hesitant, partitions);
  const early = beginnings.isValid(orders(0));
  beginnings.start(lookup, partitions.slice(0, 1));
  await beginnings.done();
  answerNow();
  assert.is(await early, false);
  assert.equal(begun, [[first]]);
});

test("brokers that never answer fail the lookup, and nothing waits when the input closes", async () => {
  const silent: OffsetLookup = { ...lookup, committed: () => Promise.reject(new Error("no coordinator")) };
  const { beginnings, begun, closing } = given();
  beginnings.start(silent, partitions);
  const valid = beginnings.isValid(orders(0));
  closing.abort();
  assert.is(await valid, false);
  assert.equal(begun, []);
  const other = given();
  other.beginnings.start(silent, partitions);
  const failure = await other.beginnings.done().catch((error: unknown) => error);
  assert.match(String(failure), /no coordinator/);
});

test.run();
