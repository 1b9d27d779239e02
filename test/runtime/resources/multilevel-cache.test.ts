import { test } from "uvu";
import * as assert from "uvu/assert";
import type { Cache } from "../../../runtime/component/resource.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { memoryCache } from "../../../runtime/resources/memory-cache.ts";
import { multilevelCache } from "../../../runtime/resources/multilevel-cache.ts";
import { componentContext } from "../connectors/contexts.ts";

const bytes = (text: string) => Buffer.from(text);

/** Returns the text of a key. */
async function textIn(cache: Cache, key: string): Promise<string | undefined> {
  const found = await cache.get(key);
  return found && Buffer.from(found).toString();
}

/** Returns a cache whose every operation fails. */
function brokenCache(): Cache {
  const fail = () => Promise.reject(new GatewayError(502, "no cache"));
  return { get: async () => undefined, set: fail, add: fail, delete: fail };
}

test("a value found in a far cache is written to the nearer ones", async () => {
  const [near, middle, far] = [memoryCache({}), memoryCache({}), memoryCache({})];
  const cache = multilevelCache([near, middle, far]);
  far.set("a", bytes("1"));
  assert.is(await textIn(cache, "a"), "1");
  assert.equal([await textIn(near, "a"), await textIn(middle, "a")], ["1", "1"]);
  assert.is(await textIn(cache, "b"), undefined);
});

test("the last cache decides whether a key is new, and the value is then in all of them", async () => {
  const [near, far] = [memoryCache({}), memoryCache({})];
  const cache = multilevelCache([near, far]);
  assert.is(await cache.add("a", bytes("1")), true);
  assert.equal([await textIn(near, "a"), await textIn(far, "a")], ["1", "1"]);
  assert.is(await cache.add("a", bytes("2")), false);
  near.delete("a");
  assert.is(await cache.add("a", bytes("2")), false);
  await cache.delete("a");
  assert.equal([await textIn(near, "a"), await textIn(far, "a")], [undefined, undefined]);
});

test("a nearer cache that rejects a value is logged, and the value is still found", async () => {
  const far = memoryCache({});
  const cache = multilevelCache([brokenCache(), far]);
  const context = componentContext();
  await cache.start?.(context);
  far.set("a", bytes("1"));
  assert.is(await textIn(cache, "a"), "1");
  assert.equal(
    context.lines.map(({ level, message }) => [level, message]),
    [["warn", "a cache of a nearer level did not accept a value"]],
  );
  const failure = await Promise.resolve(cache.set("a", bytes("2"))).catch((error: unknown) => error);
  assert.is((failure as GatewayError).message, "no cache");
});

test.run();
