import { test } from "uvu";
import * as assert from "uvu/assert";
import type { MemoryCacheOptions } from "../../../runtime/resources/generated/memory-cache-options.ts";
import { memoryCache } from "../../../runtime/resources/memory-cache.ts";
import { noopCache } from "../../../runtime/resources/noop-cache.ts";

/** Returns a cache of texts with its own clock. */
function onClock(
  options: MemoryCacheOptions,
  work: (cache: Texts, pass: (ms: number) => void) => void,
): void {
  const real = performance.now;
  let now = 1_000;
  performance.now = () => now;
  try {
    const cache = memoryCache(options);
    const texts: Texts = {
      get: (key) => {
        const found = cache.get(key);
        return found && Buffer.from(found).toString();
      },
      set: (key, text, ttl) => cache.set(key, Buffer.from(text), ttl),
      add: (key, text, ttl) => cache.add(key, Buffer.from(text), ttl),
      delete: (key) => cache.delete(key),
    };
    work(texts, (ms) => {
      now += ms;
    });
  } finally {
    performance.now = real;
  }
}

interface Texts {
  get(key: string): string | undefined;
  set(key: string, text: string, ttl?: number): void;
  add(key: string, text: string, ttl?: number): boolean;
  delete(key: string): void;
}

test("values are written, added only once, and deleted", () => {
  onClock({}, (cache) => {
    assert.is(cache.get("a"), undefined);
    assert.is(cache.add("a", "1"), true);
    assert.is(cache.add("a", "2"), false);
    assert.is(cache.get("a"), "1");
    cache.set("a", "3");
    assert.is(cache.get("a"), "3");
    cache.delete("a");
    cache.delete("a");
    assert.is(cache.get("a"), undefined);
    assert.is(cache.add("a", "4"), true);
  });
});

test("an expired value is gone, even before compaction", () => {
  onClock({ default_ttl: 100 }, (cache, pass) => {
    cache.set("short", "1", 10);
    cache.set("usual", "2");
    pass(10);
    assert.is(cache.get("short"), undefined);
    assert.is(cache.add("short", "3"), true);
    assert.is(cache.get("usual"), "2");
    pass(90);
    assert.is(cache.get("usual"), undefined);
    assert.is(cache.get("short"), "3");
  });
});

test("expired values are removed by later writes", () => {
  onClock({ default_ttl: 10, compaction_interval: 50, max_entries: 3 }, (cache, pass) => {
    cache.set("a", "1");
    cache.set("b", "2");
    cache.set("c", "3", 1_000);
    pass(60);
    // If expired entries were not removed, these would evict the oldest entry, and then the next one.
    cache.set("d", "4", 1_000);
    cache.set("e", "5", 1_000);
    assert.is(cache.get("c"), "3");
  });
});

test("without a compaction interval, values never expire", () => {
  onClock({ default_ttl: 10, compaction_interval: 0 }, (cache, pass) => {
    cache.set("a", "1");
    cache.set("b", "2", 5);
    pass(1e12);
    assert.is(cache.get("a"), "1");
    assert.is(cache.get("b"), "2");
  });
});

test("initial values have no ttl until they are overwritten", () => {
  onClock({ default_ttl: 10, init_values: { de: "EUR", ch: "CHF" } }, (cache, pass) => {
    pass(1e12);
    assert.is(cache.get("de"), "EUR");
    assert.is(cache.add("ch", "no"), false);
    cache.set("de", "DEM");
    pass(10);
    assert.is(cache.get("de"), undefined);
    assert.is(cache.get("ch"), "CHF");
  });
});

test("the number of entries is limited; the one written longest ago is evicted", () => {
  onClock({ max_entries: 2 }, (cache) => {
    cache.set("a", "1");
    cache.set("b", "2");
    cache.set("a", "3");
    cache.set("c", "4");
    assert.is(cache.get("b"), undefined);
    assert.is(cache.get("a"), "3");
    assert.is(cache.get("c"), "4");
  });
});

test("a noop cache accepts every write and finds nothing", () => {
  const cache = noopCache({});
  cache.set("a", Buffer.from("1"));
  assert.is(cache.add("a", Buffer.from("1")), true);
  assert.is(cache.get("a"), undefined);
  cache.delete("a");
});

test.run();
