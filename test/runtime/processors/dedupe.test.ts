import { test } from "uvu";
import * as assert from "uvu/assert";
import type { Delivered, Processor } from "../../../runtime/component/component.ts";
import { createRedelivery } from "../../../runtime/component/redelivery.ts";
import type { Cache } from "../../../runtime/component/resource.ts";
import { Collectors } from "../../../runtime/concurrency/in-flight.ts";
import { GatewayError, MappingError } from "../../../runtime/errors.ts";
import type { Batch, Message } from "../../../runtime/message/message.ts";
import { outputWithBatching } from "../../../runtime/processors/around/with-batching.ts";
import { dedupe } from "../../../runtime/processors/dedupe.ts";
import { retry } from "../../../runtime/processors/retry.ts";
import { memoryCache } from "../../../runtime/resources/memory-cache.ts";
import { Delivery } from "../../../runtime/stream/delivery.ts";
import { createCounters } from "../../../runtime/stream/stream-state.ts";
import { Queue } from "../../harness/queue.ts";
import {
  batchOf,
  componentContext,
  inputContext,
  type LogLine,
  textOfBatch,
} from "../connectors/contexts.ts";

const contents = (batch: Batch, index: number) => textOfBatch([batch[index] as Message]);
/** Returns the part before a dash, so that messages with the same key can be distinguished. */
const keyOf = (batch: Batch, index: number) => contents(batch, index).split("-")[0] ?? "";

interface Write {
  readonly text: string;
  confirm(): void;
  refuse(): void;
}

/** Returns a stream whose writes wait until the test settles them. */
function stream(pipeline: readonly Processor[]) {
  const writes = new Queue<Write>();
  const lines: LogLine[] = [];
  const output = {
    async start() {},
    write: (batch: Batch) =>
      new Promise<Delivered>((resolve, reject) => {
        writes.push({
          text: textOfBatch(batch),
          confirm: () => resolve({}),
          refuse: () => reject(new GatewayError(502, "the broker is away")),
        });
      }),
    async close() {},
  };
  const context = { ...componentContext(), lines };
  const parts = { stream: "intake", pipeline, output, errorHandling: { strategy: "reject" } as const };
  const delivery = new Delivery(parts, context, createCounters());
  return {
    writes,
    send: (...texts: string[]) => outcomeOf(delivery.deliver(batchOf(...texts))),
  };
}

function outcomeOf(delivery: Promise<unknown>): Promise<string> {
  return delivery.then(
    () => "delivered",
    (error: unknown) => (error instanceof GatewayError ? `${error.status}` : String(error)),
  );
}

/** Returns whether a delivery is settled now, without waiting for it. */
async function isSettled(delivery: Promise<string>): Promise<boolean> {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
  return (await Promise.race([delivery, Promise.resolve("pending")])) !== "pending";
}

test("a duplicate of a message held in a batch does not keep an input from reading on", async () => {
  const written: string[] = [];
  const sink = {
    start: async () => undefined,
    close: async () => undefined,
    async write(batch: Batch) {
      written.push(textOfBatch(batch));
      return {};
    },
  };
  const output = outputWithBatching(sink, { count: 2 });
  const collectors = new Collectors();
  const context = { ...inputContext(), collectors };
  await output.start(context);
  const pipeline = [dedupe({ cache: memoryCache({}), key: keyOf })];
  const parts = { stream: "intake", pipeline, output, errorHandling: { strategy: "reject" } as const };
  const delivery = new Delivery(parts, context, createCounters());
  const redelivery = createRedelivery({
    ...context,
    deliver: (batch) => delivery.deliver(batch),
  });
  for (const text of ["a-1", "a-2", "b-1"]) await redelivery.deliverNext(batchOf(text), context.signal);
  assert.equal(written, ["a-1 b-1"]);
  await redelivery.settled();
});

test("a delivered message is dropped when it is repeated", async () => {
  const { writes, send } = stream([dedupe({ cache: memoryCache({}), key: keyOf })]);
  const first = send("a-1");
  (await writes.next()).confirm();
  assert.is(await first, "delivered");
  assert.is(await send("a-2"), "delivered");
  const next = send("b-1", "a-3");
  const write = await writes.next();
  assert.is(write.text, "b-1");
  write.confirm();
  assert.is(await next, "delivered");
});

test("a message whose delivery failed passes when it is repeated", async () => {
  const { writes, send } = stream([dedupe({ cache: memoryCache({}), key: keyOf })]);
  const first = send("a-1");
  (await writes.next()).refuse();
  assert.is(await first, "502");
  const again = send("a-1");
  const write = await writes.next();
  assert.is(write.text, "a-1");
  write.confirm();
  assert.is(await again, "delivered");
});

test("a message that failed in a later step passes when it is repeated", async () => {
  let fails = true;
  const failing: Processor = {
    process: (batch) => [fails ? batch.map((each) => each.withFailure(new MappingError("no"))) : batch],
  };
  const { writes, send } = stream([dedupe({ cache: memoryCache({}), key: keyOf }), failing]);
  assert.is(await send("a-1"), "422");
  fails = false;
  const again = send("a-1");
  (await writes.next()).confirm();
  assert.is(await again, "delivered");
});

test("a duplicate of a message in flight is delivered when that one is", async () => {
  const { writes, send } = stream([dedupe({ cache: memoryCache({}), key: keyOf })]);
  const first = send("a-1");
  const write = await writes.next();
  const second = send("a-2");
  assert.not(await isSettled(second));
  write.confirm();
  assert.equal(await Promise.all([first, second]), ["delivered", "delivered"]);
});

test("a duplicate of a message in flight fails with it, and one of them passes afterwards", async () => {
  const { writes, send } = stream([dedupe({ cache: memoryCache({}), key: keyOf })]);
  const first = send("a-1");
  const write = await writes.next();
  const second = send("a-2");
  write.refuse();
  assert.equal(await Promise.all([first, second]), ["502", "503"]);
  const again = send("a-2");
  (await writes.next()).confirm();
  assert.is(await again, "delivered");
});

test("batches with duplicates of each other's messages do not deadlock", async () => {
  const cache = memoryCache({});
  const slow: Cache = { ...cache, get: async (key) => cache.get(key) };
  const { writes, send } = stream([dedupe({ cache: slow, key: keyOf })]);
  // Both look up their first key before either looks up its second.
  const first = send("a-1", "b-1");
  const second = send("b-2", "a-2");
  const written = [await writes.next(), await writes.next()];
  assert.equal(written.map(({ text }) => text).sort(), ["a-1", "b-2"]);
  for (const write of written) write.confirm();
  assert.equal(await Promise.all([first, second]), ["delivered", "delivered"]);
});

test("within a batch the first message of a key is kept, with LIFO the last", async () => {
  for (const [strategy, left] of [
    ["FIFO", "a-1 b-1"],
    ["LIFO", "b-2 a-3"],
  ] as const) {
    const { writes, send } = stream([dedupe({ cache: memoryCache({}), key: keyOf, strategy })]);
    const sent = send("a-1", "b-1", "a-2", "b-2", "a-3");
    const write = await writes.next();
    assert.is(write.text, left);
    write.confirm();
    assert.is(await sent, "delivered");
  }
});

test("a message dropped on purpose counts as delivered", async () => {
  const dropping: Processor = { process: () => [] };
  const { send } = stream([dedupe({ cache: memoryCache({}), key: keyOf }), dropping]);
  assert.is(await send("a-1"), "delivered");
  assert.is(await send("a-2"), "delivered");
});

test("attempts of a retry are not duplicates of each other", async () => {
  let failures = 2;
  const failing: Processor = {
    process: (batch) => [
      failures-- > 0 ? batch.map((each) => each.withFailure(new MappingError("no"))) : batch,
    ],
  };
  const inner = dedupe({ cache: memoryCache({}), key: keyOf });
  const backoff = { initial_interval: 1, max_interval: 1 };
  const { writes, send } = stream([retry({ backoff, processors: [inner, failing] })]);
  const sent = send("a-1");
  const write = await writes.next();
  assert.is(write.text, "a-1");
  const second = send("a-2");
  assert.not(await isSettled(second));
  write.confirm();
  assert.equal(await Promise.all([sent, second]), ["delivered", "delivered"]);
  assert.is(await send("a-3"), "delivered");
});

test("while the cache is unavailable, messages are flagged and nothing is lost", async () => {
  const cache = memoryCache({});
  let isAway = true;
  const flaky: Cache = {
    ...cache,
    get: async (key) => {
      if (isAway) throw new Error("connection lost");
      return cache.get(key);
    },
  };
  const { writes, send } = stream([dedupe({ cache: flaky, key: keyOf })]);
  assert.equal(await Promise.all([send("a-1"), send("a-2")]), ["502", "503"]);
  isAway = false;
  const again = send("a-1");
  (await writes.next()).confirm();
  assert.is(await again, "delivered");
});

test("drop_on_err drops messages instead", async () => {
  const away: Cache = { ...memoryCache({}), get: () => Promise.reject(new Error("connection lost")) };
  const { send } = stream([dedupe({ cache: away, key: keyOf, drop_on_err: true })]);
  assert.is(await send("a-1"), "delivered");
});

test("a message stays delivered when its key cannot be written; a duplicate passes", async () => {
  const forgetful: Cache = { ...memoryCache({}), set: () => Promise.reject(new Error("connection lost")) };
  const { writes, send } = stream([dedupe({ cache: forgetful, key: keyOf })]);
  for (const text of ["a-1", "a-2"]) {
    const sent = send(text);
    const write = await writes.next();
    assert.is(write.text, text);
    write.confirm();
    assert.is(await sent, "delivered");
  }
});

test("a key that cannot be computed flags only its message", async () => {
  const key = (batch: Batch, index: number) => {
    if (contents(batch, index) === "bad") throw new MappingError("no key");
    return contents(batch, index);
  };
  const passed = await dedupe({ cache: memoryCache({}), key }).process(
    batchOf("bad", "a", "a"),
    componentContext(),
  );
  assert.equal(
    passed.flat().map(({ failure }) => failure?.message),
    ["key interpolation error: no key", undefined],
  );
});

test.run();
