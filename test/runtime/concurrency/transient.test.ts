import { getHeapSpaceStatistics } from "node:v8";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { TransientMap, TransientSet } from "../../../runtime/concurrency/transient.ts";
import { collectGarbage } from "../../harness/heap.ts";

const test = suite("transient");

test("a map has its entries in the order in which their keys were added, however many were removed", () => {
  const map = new TransientMap<number, string>();
  for (let key = 0; key < 1000; key++) {
    map.set(key, `value ${key}`);
    if (key >= 10) assert.ok(map.delete(key - 10));
    assert.not.ok(map.delete(key - 10));
  }
  assert.is(map.size, 10);
  assert.is(map.get(990), "value 990");
  assert.not.ok(map.has(989));
  assert.equal(
    map.values(),
    Array.from({ length: 10 }, (_, index) => `value ${990 + index}`),
  );
  map.clear();
  assert.equal(map.values(), []);
});

test("a set has each item once", () => {
  const set = new TransientSet<string>();
  for (const item of ["a", "b", "a"]) set.add(item);
  assert.equal(set.values(), ["a", "b"]);
  assert.ok(set.delete("a"));
  assert.not.ok(set.has("a"));
  assert.is(set.size, 1);
  set.clear();
  assert.is(set.size, 0);
});

/** Bytes of the old generation, with large objects. */
function oldBytes(): number {
  return getHeapSpaceStatistics()
    .filter(({ space_name: name }) => name === "old_space" || name === "large_object_space")
    .reduce((sum, { space_used_size: used }) => sum + used, 0);
}

test("removed entries do not survive collections of young objects", () => {
  const map = new TransientMap<number, number[]>();
  const pass = (from: number, to: number) => {
    for (let key = from; key < to; key++) {
      map.set(key, new Array(100).fill(key));
      map.delete(key - 20);
    }
  };
  pass(0, 1000);
  for (let times = 0; times < 2; times++) collectGarbage(); // the present table is now in the old generation
  const before = oldBytes();
  for (let round = 1; round <= 20; round++) {
    pass(round * 2500, (round + 1) * 2500);
    collectGarbage("minor");
  }
  // The entries have 40 MB, of which a plain map keeps more than half. Each collection leaves some 170 KB of its own.
  assert.ok(oldBytes() - before < 10_000_000, `${oldBytes() - before} bytes are kept`);
});

test.run();
