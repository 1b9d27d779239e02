import * as fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import {
  type AssignPartitions,
  assignRanges,
  assignRoundRobin,
} from "../../../runtime/connectors/kafka/assigner.ts";

const member = (id: string, ...topics: readonly string[]) => ({ id, topics, owned: {} });
const upTo = (count: number) => Array.from({ length: count }, (_, partition) => partition);
const shares = (assign: AssignPartitions, ...args: Parameters<AssignPartitions>) =>
  Object.fromEntries(assign(...args));

// The examples in the documentation of Java's RangeAssignor and RoundRobinAssignor.
const two = [member("C1", "t0", "t1"), member("C0", "t0", "t1")];
const topics = new Map([
  ["t1", upTo(3)],
  ["t0", upTo(3)],
]);

test("range divides each topic into contiguous ranges", () => {
  assert.equal(shares(assignRanges, two, topics), {
    C0: { t0: [0, 1], t1: [0, 1] },
    C1: { t0: [2], t1: [2] },
  });
});

test("round robin continues from topic to topic", () => {
  assert.equal(shares(assignRoundRobin, two, topics), {
    C0: { t0: [0, 2], t1: [1] },
    C1: { t0: [1], t1: [0, 2] },
  });
});

test("round robin skips members that are not subscribed", () => {
  const members = [member("C0", "t0"), member("C1", "t0", "t1"), member("C2", "t0", "t1", "t2")];
  const uneven = new Map([
    ["t0", upTo(1)],
    ["t1", upTo(2)],
    ["t2", upTo(3)],
  ]);
  assert.equal(shares(assignRoundRobin, members, uneven), {
    C0: { t0: [0] },
    C1: { t1: [0] },
    C2: { t1: [1], t2: [0, 1, 2] },
  });
});

test("each partition goes to one subscriber, and every member has an assignment", () => {
  const names = ["a", "b", "c"];
  const members = fc.uniqueArray(
    fc.record({ id: fc.string({ minLength: 1 }), topics: fc.subarray(names), owned: fc.constant({}) }),
    { selector: ({ id }) => id, minLength: 1, maxLength: 6 },
  );
  const counts = fc.tuple(fc.nat(9), fc.nat(9), fc.nat(9));
  for (const assign of [assignRanges, assignRoundRobin]) {
    fc.assert(
      fc.property(members, counts, (group, sizes) => {
        const all = new Map(names.map((name, index) => [name, upTo(sizes[index] ?? 0)]));
        const given = assign(group, all);
        assert.equal([...given.keys()].toSorted(), group.map(({ id }) => id).toSorted());
        for (const [topic, partitions] of all) {
          const subscribers = group.filter((each) => each.topics.includes(topic));
          const dealt = subscribers.flatMap(({ id }) => given.get(id)?.[topic] ?? []);
          assert.equal(dealt.toSorted(), subscribers.length === 0 ? [] : [...partitions]);
          const strangers = group.filter((each) => !each.topics.includes(topic));
          assert.ok(strangers.every(({ id }) => given.get(id)?.[topic] === undefined));
        }
      }),
      { seed: 71, numRuns: 300 },
    );
  }
});

test.run();
