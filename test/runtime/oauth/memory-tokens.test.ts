import { test } from "uvu";
import * as assert from "uvu/assert";
import { memoryTokens } from "../../../runtime/oauth/memory-tokens.ts";
import { contract, kept } from "./store-contract.ts";

for (const [name, run] of Object.entries(contract)) test(name, () => run(memoryTokens()));

test("a full token memory issues no token, keeps valid ones, and has capacity again after some expire", async () => {
  let now = Date.now();
  const store = memoryTokens({ most: 2, now: () => now });
  const [first, refresh] = [kept("a"), kept("a", { expires: now + 5000 })];
  assert.is(await store.issue(first, refresh, undefined), "kept");
  assert.is(await store.issue(kept("b"), undefined, undefined), "full");
  assert.ok(await store.findAccess(first.hash));
  now += 5000;
  assert.is(await store.issue(kept("b"), undefined, undefined), "kept");
  assert.ok(await store.findAccess(first.hash));
});

test.run();
