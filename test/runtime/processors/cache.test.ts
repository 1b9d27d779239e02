import { test } from "uvu";
import * as assert from "uvu/assert";
import type { Cache } from "../../../runtime/component/resource.ts";
import { GatewayError, MappingError } from "../../../runtime/errors.ts";
import type { Batch, Message } from "../../../runtime/message/message.ts";
import { cache } from "../../../runtime/processors/cache.ts";
import { cached, decodeContents, encodeContents } from "../../../runtime/processors/cached.ts";
import { memoryCache } from "../../../runtime/resources/memory-cache.ts";
import { batchOf, componentContext, textOfBatch } from "../connectors/contexts.ts";

const contents = (batch: Batch, index: number) => textOfBatch([batch[index] as Message]);
const failures = (batches: readonly Batch[]) => batches.flat().map(({ failure }) => failure?.message);
const away: Cache = {
  get: () => Promise.reject(new Error("connection lost, with a password in its text")),
  set: () => Promise.reject(new GatewayError(502, "away")),
  add: () => Promise.reject(new GatewayError(502, "away")),
  delete: () => Promise.reject(new GatewayError(502, "away")),
};

test("a value that was set is found, both inline and by key", async () => {
  const resource = memoryCache({});
  const set = cache({
    resource,
    operator: "set",
    key: contents,
    value: (batch, index) => `<${contents(batch, index)}>`,
  });
  const passed = await set.process(batchOf("a", "b"), componentContext());
  assert.is(textOfBatch(passed.flat()), "a b");
  const get = cache({ resource, operator: "get", key: contents });
  assert.is(textOfBatch((await get.process(batchOf("b", "a"), componentContext())).flat()), "<b> <a>");
});

test("a memory cache keeps the pipeline synchronous", () => {
  const set = cache({ resource: memoryCache({}), operator: "set", key: "a", value: "1" });
  assert.not.instance(set.process(batchOf("a"), componentContext()), Promise);
});

test("adding an existing key, and getting a missing one, flags the message and leaves it unchanged", async () => {
  const resource = memoryCache({});
  const add = cache({ resource, operator: "add", key: contents, value: "1" });
  const passed = await add.process(batchOf("a", "a"), componentContext());
  assert.equal(failures(passed), [undefined, "key already exists: a"]);
  const get = cache({ resource, operator: "get", key: contents });
  const got = await get.process(batchOf("none"), componentContext());
  assert.equal(failures(got), ["operator failed for key 'none': key does not exist"]);
  assert.is(textOfBatch(got.flat()), "none");
});

test("`exists` replaces the message with whether the key exists", async () => {
  const exists = cache({
    resource: memoryCache({ init_values: { a: "" } }),
    operator: "exists",
    key: contents,
  });
  assert.is(textOfBatch((await exists.process(batchOf("a", "b"), componentContext())).flat()), "true false");
});

test("`delete` removes a key, and ignores missing ones", async () => {
  const resource = memoryCache({ init_values: { a: "1" } });
  const remove = cache({ resource, operator: "delete", key: "a" });
  assert.equal(failures(await remove.process(batchOf("x", "y"), componentContext())), [undefined, undefined]);
  assert.is(resource.get("a"), undefined);
});

test("a message may set its own ttl; an invalid one flags the message", async () => {
  const given: (number | undefined)[] = [];
  const resource: Cache = {
    ...memoryCache({}),
    set(_key, _value, ttl) {
      given.push(ttl);
    },
  };
  const set = cache({ resource, operator: "set", key: "a", value: "1", ttl: contents });
  const passed = await set.process(batchOf("90s", "", "soon", "5", "1h5mx"), componentContext());
  assert.equal(given, [90_000, undefined]);
  assert.equal(failures(passed), [
    undefined,
    undefined,
    'ttl must be a duration: time: invalid duration "soon"',
    'ttl must be a duration: time: missing unit in duration "5"',
    'ttl must be a duration: time: unknown unit "mx" in duration "1h5mx"',
  ]);
  const result = cached({ cache: memoryCache({}), key: "a", ttl: contents, processors: [] });
  assert.equal(failures(await result.process(batchOf("", "5"), componentContext())), [
    'failed to parse ttl expression: time: invalid duration ""',
    'failed to parse ttl expression: time: missing unit in duration "5"',
  ]);
});

test("a key that cannot be computed flags only its message", async () => {
  const key = (batch: Batch, index: number) => {
    if (contents(batch, index) === "bad") throw new MappingError("no key");
    return "a";
  };
  const set = cache({ resource: memoryCache({}), operator: "set", key, value: "1" });
  assert.equal(failures(await set.process(batchOf("bad", "good"), componentContext())), [
    "key interpolation error: no key",
    undefined,
  ]);
});

test("an unavailable cache flags every message, and the flag quotes nothing", async () => {
  for (const operator of ["get", "set", "add", "delete"] as const) {
    const context = componentContext();
    const passed = await cache({ resource: away, operator, key: "a", value: "1" }).process(
      batchOf("x"),
      context,
    );
    assert.match(failures(passed)[0] ?? "", operator === "get" ? /^Cache unavailable$/ : /away/);
    assert.is(textOfBatch(passed.flat()), "x");
    assert.is(context.lines[0]?.level, "warn");
  }
});

/** Returns a step that records its messages and returns two for each. */
function doubling() {
  const seen: string[] = [];
  return {
    seen,
    process(batch: Batch) {
      seen.push(textOfBatch(batch));
      return [
        batch.flatMap((message) => [
          message.withBytes(Buffer.from("one")),
          message.withBytes(Buffer.from("two")),
        ]),
      ];
    },
  };
}

test("processors run once per key, and later messages get the result with their own metadata", async () => {
  const step = doubling();
  const processor = cached({ cache: memoryCache({}), key: contents, processors: [step] });
  const [first, second] = batchOf("a", "a");
  const named = (second as Message).withMetadata(new Map([["n", 2]]));
  const passed = await processor.process([first as Message, named], componentContext());
  assert.equal(passed.map(textOfBatch), ["one two one two"]);
  assert.equal(step.seen, ["a"]);
  assert.equal(
    passed.flat().map(({ metadata }) => metadata.get("n")),
    [undefined, undefined, 2, 2],
  );
  await processor.process(batchOf("b"), componentContext());
  assert.equal(step.seen, ["a", "b"]);
});

test("fields of a message are computed as if it were alone", async () => {
  const step = doubling();
  const key = (batch: Batch, index: number) => `${index} of ${batch.length}`;
  await cached({ cache: memoryCache({}), key, processors: [step] }).process(
    batchOf("a", "b"),
    componentContext(),
  );
  assert.equal(step.seen, ["a"]);
});

test("failures, and results that match skip_on, are not cached", async () => {
  const store = memoryCache({});
  const failing = {
    process: (batch: Batch) => [batch.map((each) => each.withFailure(new MappingError("no")))],
  };
  const flagged = cached({ cache: store, key: "a", processors: [failing] });
  assert.equal(failures(await flagged.process(batchOf("x"), componentContext())), ["no"]);
  assert.is(store.get("a"), undefined);
  const step = doubling();
  const skipping = cached({ cache: store, key: "a", processors: [step], skip_on: () => true });
  await skipping.process(batchOf("x"), componentContext());
  assert.is(store.get("a"), undefined);
  const unsure = cached({
    cache: store,
    key: "a",
    processors: [step],
    skip_on: () => {
      throw new MappingError("no field");
    },
  });
  await unsure.process(batchOf("x"), componentContext());
  assert.is(store.get("a"), undefined);
  const kept = cached({ cache: store, key: "a", processors: [step], skip_on: () => false });
  await kept.process(batchOf("x"), componentContext());
  assert.ok(store.get("a"));
});

test("results are cached for the given ttl", async () => {
  const given: (number | undefined)[] = [];
  const store: Cache = {
    ...memoryCache({}),
    set(_key, _value, ttl) {
      given.push(ttl);
    },
  };
  await cached({ cache: store, key: "a", ttl: "10m", processors: [doubling()] }).process(
    batchOf("x"),
    componentContext(),
  );
  assert.equal(given, [600_000]);
});

test("a cache that cannot be read flags the message; a failed write has no effect", async () => {
  const step = doubling();
  const unread = cached({ cache: away, key: "a", processors: [step] });
  assert.equal(failures(await unread.process(batchOf("x"), componentContext())), ["Cache unavailable"]);
  assert.equal(step.seen, []);
  const unwritten = cached({ cache: { ...away, get: () => undefined }, key: "a", processors: [step] });
  const context = componentContext();
  assert.equal(failures(await unwritten.process(batchOf("x"), context)), [undefined, undefined]);
  assert.is(context.lines[0]?.message, "result not written to the cache");
});

test("a value in another format flags the message", async () => {
  const store = memoryCache({ init_values: { a: "plain text" } });
  const passed = await cached({ cache: store, key: "a", processors: [] }).process(
    batchOf("x"),
    componentContext(),
  );
  const [failure] = passed.flat().map((message) => message.failure);
  assert.match(
    failure?.message ?? "",
    /^failed to parse cached result, this indicates .*: invalid format version: \d+$/,
  );
  assert.is(failure?.answer, "the value in the cache was not written by `cached`");
});

test("encoded contents decode to the original, and truncated ones do not decode", () => {
  const many = [Buffer.from(""), Buffer.from("ä"), Buffer.alloc(300, 7)];
  const encoded = encodeContents(many);
  assert.equal(
    (decodeContents(encoded) as Uint8Array[]).map((each) => Buffer.from(each)),
    many,
  );
  assert.equal(decodeContents(encodeContents([])), []);
  assert.equal([...encodeContents([Buffer.from("hi")])], [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 104, 105]);
  for (let length = 0; length < encoded.length; length++) {
    assert.type(decodeContents(encoded.subarray(0, length)), "string", String(length));
  }
});

test.run();
