import { test } from "uvu";
import * as assert from "uvu/assert";
import type { SyncCache } from "../../../runtime/component/resource.ts";
import { lruCache, ttlruCache } from "../../../runtime/resources/lru-cache.ts";

const bytes = (text: string) => Buffer.from(text);

/** Returns the text of a key. */
function textIn(cache: SyncCache, key: string): string | undefined {
  const found = cache.get(key);
  return found && Buffer.from(found).toString();
}

/** Runs `work` with a clock that only `pass` advances. */
function onClock(work: (pass: (milliseconds: number) => void) => void): void {
  const real = performance.now;
  let now = 1_000;
  performance.now = () => now;
  try {
    work((milliseconds) => {
      now += milliseconds;
    });
  } finally {
    performance.now = real;
  }
}

test("the least recently used value is evicted first", () => {
  const cache = lruCache({ cap: 2 });
  cache.set("a", bytes("1"));
  cache.set("b", bytes("2"));
  assert.is(textIn(cache, "a"), "1");
  cache.set("c", bytes("3"));
  assert.equal(
    ["a", "b", "c"].map((key) => textIn(cache, key)),
    ["1", undefined, "3"],
  );
});

test("a value is added only once, and again after it is deleted", () => {
  const cache = lruCache({});
  assert.is(cache.add("a", bytes("1")), true);
  assert.is(cache.add("a", bytes("2")), false);
  assert.is(textIn(cache, "a"), "1");
  cache.delete("a");
  assert.is(cache.add("a", bytes("3")), true);
});

test("values without an expiry stay, even if a write sets a ttl", () => {
  onClock((pass) => {
    const cache = lruCache({ init_values: { de: "EUR" } });
    cache.set("a", bytes("1"), 10);
    pass(1e9);
    assert.equal([textIn(cache, "a"), textIn(cache, "de")], ["1", "EUR"]);
  });
});

test("a value expires, and reading it resets its ttl", () => {
  onClock((pass) => {
    const cache = ttlruCache({ default_ttl: 100 });
    cache.set("read", bytes("1"));
    cache.set("unread", bytes("2"));
    cache.set("short", bytes("3"), 10);
    pass(60);
    assert.equal([textIn(cache, "read"), textIn(cache, "short")], ["1", undefined]);
    pass(60);
    assert.equal([textIn(cache, "read"), textIn(cache, "unread")], ["1", undefined]);
  });
});

test("with `without_reset`, reading a value does not reset its ttl", () => {
  onClock((pass) => {
    const cache = ttlruCache({ default_ttl: 100, without_reset: true });
    cache.set("a", bytes("1"));
    pass(60);
    assert.is(textIn(cache, "a"), "1");
    pass(60);
    assert.is(textIn(cache, "a"), undefined);
  });
});

test("a cache of a later version shares the entries of the earlier one", () => {
  const earlier = lruCache({});
  const later = lruCache({});
  earlier.set("a", bytes("1"));
  later.takeOver?.(earlier);
  earlier.set("b", bytes("2"));
  assert.equal([textIn(later, "a"), textIn(later, "b")], ["1", "2"]);
});

test.run();
