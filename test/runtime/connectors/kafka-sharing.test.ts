import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type GroupMember, sharePartitions } from "../../../runtime/connectors/kafka/assigner.ts";

const test = suite("kafka sharing");

const settings = { seed: 8 };

const topicName: fc.Arbitrary<string> = fc.constantFrom("audit", "orders", "payments", "refunds");
const topics = fc.dictionary(topicName, fc.nat(9)).map(
  // Topics with their numbers of partitions; a topic with none does not exist yet.
  (counts) => new Map(Object.entries(counts).map(([topic, count]) => [topic, [...Array(count).keys()]])),
);
const claims = fc.dictionary(topicName, fc.array(fc.nat(12), { maxLength: 6 }), { noNullPrototype: true });
const members = fc.uniqueArray(
  fc.record({ id: fc.string(), topics: fc.uniqueArray(topicName), owned: claims }),
  { selector: ({ id }) => id, maxLength: 6 },
);

type Shares = ReturnType<typeof sharePartitions>;

const sizeOf = (shares: Shares, id: string) => Object.values(shares.get(id) ?? {}).flat().length;

const withShares = (before: readonly GroupMember[], shares: Shares): GroupMember[] =>
  before.map((member) => ({ ...member, owned: shares.get(member.id) ?? {} }));

test("every subscribed partition is assigned once, and only to subscribers", () => {
  fc.assert(
    fc.property(members, topics, (group, all) => {
      const shares = sharePartitions(group, all);
      assert.equal([...shares.keys()].toSorted(), group.map(({ id }) => id).toSorted());
      for (const { id, topics: subscribed } of group) {
        for (const topic of Object.keys(shares.get(id) ?? {})) assert.ok(subscribed.includes(topic));
      }
      for (const [topic, partitions] of all) {
        const assigned = [...shares.values()].flatMap((share) => share[topic] ?? []);
        const wanted = group.some((member) => member.topics.includes(topic));
        assert.equal(
          assigned.toSorted((a, b) => a - b),
          wanted ? partitions : [],
        );
      }
    }),
    settings,
  );
});

test("no subscriber of a partition has two or more fewer than its owner, so equal members differ by at most one", () => {
  fc.assert(
    fc.property(members, topics, (group, all) => {
      const shares = sharePartitions(group, all);
      for (const { id } of group) {
        const heldTopics = Object.keys(shares.get(id) ?? {});
        for (const other of group) {
          if (!heldTopics.some((topic) => other.topics.includes(topic))) continue;
          assert.ok(sizeOf(shares, id) <= sizeOf(shares, other.id) + 1);
        }
      }
    }),
    settings,
  );
});

test("the order of members, topics and partitions does not matter", () => {
  fc.assert(
    fc.property(members, topics, (group, all) => {
      const reversed = new Map(
        [...all].toReversed().map(([topic, numbers]) => [topic, numbers.toReversed()]),
      );
      assert.equal(sharePartitions(group.toReversed(), reversed), sharePartitions(group, all));
    }),
    settings,
  );
});

test("an unchanged group gets the same assignment again", () => {
  fc.assert(
    fc.property(members, topics, (group, all) => {
      const shares = sharePartitions(group, all);
      assert.equal(sharePartitions(withShares(group, shares), all), shares);
    }),
    settings,
  );
});

test("members with equal subscriptions keep all their partitions when one leaves", () => {
  const alike = members.map((group) =>
    group.map((member) => ({ ...member, topics: ["orders", "payments"] })),
  );
  fc.assert(
    fc.property(alike, topics, (group, all) => {
      const before = sharePartitions(group, all);
      const rest = withShares(group, before).slice(1);
      const after = sharePartitions(rest, all);
      for (const { id } of rest) {
        for (const [topic, numbers] of Object.entries(before.get(id) ?? {})) {
          for (const number of numbers) assert.ok(after.get(id)?.[topic]?.includes(number));
        }
      }
    }),
    settings,
  );
});

test("a new member gets its share of each topic", () => {
  const six = new Map(["orders", "payments"].map((topic) => [topic, [0, 1, 2]]));
  const both = { topics: ["orders", "payments"] };
  const first = { ...both, id: "a", owned: { orders: [0, 1, 2], payments: [0, 1, 2] } };
  assert.equal(Object.fromEntries(sharePartitions([first, { ...both, id: "b", owned: {} }], six)), {
    a: { orders: [2], payments: [1, 2] },
    b: { orders: [0, 1], payments: [0] },
  });
});

test.run();
