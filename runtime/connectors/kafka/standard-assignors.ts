// The assignors that every Kafka client knows, as Java's `RangeAssignor` and `RoundRobinAssignor` compute them.

import type { AssignPartitions } from "./sharing.ts";

/**
 * `range`: each topic separately, in ranges of adjacent partitions to its subscribers in the order of their ids; the first
 * ones get one more where the ranges cannot be equal. Equal partitions of topics go to the same member.
 */
export const assignRanges: AssignPartitions = (members, topics) => {
  const shares = emptyShares(members);
  for (const [topic, partitions] of topics) {
    const subscribers = inOrder(members).filter((member) => member.topics.includes(topic));
    const sorted = partitions.toSorted((a, b) => a - b);
    const [least, longer] = [
      Math.floor(sorted.length / subscribers.length),
      sorted.length % subscribers.length,
    ];
    for (const [index, { id }] of subscribers.entries()) {
      const start = index * least + Math.min(index, longer);
      const run = sorted.slice(start, start + least + (index < longer ? 1 : 0));
      if (run.length > 0) shares.set(id, { ...shares.get(id), [topic]: run });
    }
  }
  return shares;
};

/** `roundrobin`: all partitions one after the other, each to the next member that is subscribed to its topic. */
export const assignRoundRobin: AssignPartitions = (members, topics) => {
  const shares = emptyShares(members);
  const circle = inOrder(members);
  let next = 0;
  for (const [topic, partitions] of [...topics].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    for (const partition of partitions.toSorted((a, b) => a - b)) {
      const turns = circle.map((_, index) => (next + index) % circle.length);
      const turn = turns.find((index) => circle[index]?.topics.includes(topic));
      const member = turn === undefined ? undefined : circle[turn];
      if (turn === undefined || member === undefined) break; // no member subscribes to the topic
      const share = shares.get(member.id) ?? {};
      shares.set(member.id, { ...share, [topic]: [...(share[topic] ?? []), partition] });
      next = (turn + 1) % circle.length;
    }
  }
  return shares;
};

type Members = Parameters<AssignPartitions>[0];

function emptyShares(members: Members): ReturnType<AssignPartitions> {
  return new Map(members.map(({ id }) => [id, {}]));
}

function inOrder(members: Members): Members {
  return members.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}
