import { setImmediate as turn } from "node:timers/promises";
import { getHeapSpaceStatistics } from "node:v8";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { tuneCollections } from "../../../runtime/process/collections.ts";
import { collectGarbage } from "../../harness/heap.ts";

const test = suite("collections");

function bytesOf(space: string): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === space)?.space_used_size ?? 0;
}

/** Creates what a long turn of the event loop creates, and returns it. */
function createMany(): readonly (readonly unknown[])[] {
  return Array.from({ length: 60_000 }, (_, index) => [index, `${index}`]);
}

test("what dies in its turn does not get into the old generation, although it survived a collection before", async () => {
  tuneCollections();
  for (let times = 0; times < 20; times += 1) {
    const created = createMany();
    collectGarbage("minor");
    assert.is(created.length, 60_000);
    await turn(); // for the observer of collections
  }
  collectGarbage();
  const before = bytesOf("old_space");
  for (let times = 0; times < 40; times += 1) {
    createMany();
    collectGarbage("minor");
    await turn();
  }
  // The arrays have 190 MB.
  const kept = bytesOf("old_space") - before;
  assert.ok(kept < 10_000_000, `${kept} bytes are kept`);
});

test.run();
