import { test } from "uvu";
import * as assert from "uvu/assert";
import { InFlight } from "../../../runtime/concurrency/in-flight.ts";

test("empty resolves when all work has ended, and immediately if nothing is in flight", async () => {
  const work = new InFlight();
  await work.empty();
  const order: string[] = [];
  work.begin();
  work.begin();
  const emptied = work.empty().then(() => order.push("empty"));
  work.end();
  assert.is(work.count, 1);
  await Promise.resolve();
  order.push("one left");
  work.end();
  await emptied;
  assert.equal(order, ["one left", "empty"]);
  await work.empty();
});

test.run();
