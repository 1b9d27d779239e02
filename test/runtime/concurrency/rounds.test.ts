import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Rounds } from "../../../runtime/concurrency/rounds.ts";

const test = suite("rounds");

test("the items of one turn are one round, in order", async () => {
  const rounds: (readonly number[])[] = [];
  const combined = new Rounds<number>(async (items) => void rounds.push(items));
  await Promise.all([combined.add([1, 2]), combined.add([]), combined.add([3])]);
  await combined.add([4]);
  assert.equal(rounds, [[1, 2, 3], [4]]);
});

test("a round takes any number of items at a time", async () => {
  let taken = 0;
  const combined = new Rounds<number>(async ({ length }) => {
    taken += length;
  });
  await combined.add(new Array<number>(200_000).fill(0));
  assert.is(taken, 200_000);
});

test.run();
