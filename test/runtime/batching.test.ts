import { mock } from "node:test";
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Delivered } from "../../runtime/component/component.ts";
import { GatewayError, MappingError } from "../../runtime/errors.ts";
import type { Batch, Message } from "../../runtime/message/message.ts";
import { Batcher, type BatchPolicy } from "../../runtime/processors/around/batching.ts";
import { batchOf, componentContext, textOfBatch } from "./connectors/contexts.ts";
import { each, textOf } from "./gateway/components.ts";

const test = suite("batching");

interface Flushed {
  readonly batch: Batch;
  readonly text: string;
  confirm(delivered?: Delivered): void;
  refuse(error: Error): void;
}

/** A batcher whose batches wait for the test's word. */
function collecting(policy: BatchPolicy, context = componentContext()) {
  const flushed: Flushed[] = [];
  const batcher = new Batcher(policy, context, (batch) => {
    return new Promise((confirm, refuse) => {
      flushed.push({ batch, text: textOfBatch(batch), confirm: (by = {}) => confirm(by), refuse });
    });
  });
  return { batcher, flushed, texts: () => flushed.map(({ text }) => text) };
}

/** Lets everything happen that needs no time. */
const turn = () => new Promise(setImmediate);

test("count: a batch is complete with that many messages, and each part waits for it", async () => {
  const { batcher, flushed, texts } = collecting({ count: 3 });
  const settled: string[] = [];
  const add = (...parts: string[]) =>
    batcher.add(batchOf(...parts)).then(() => settled.push(parts.join(" ")));
  const adds = [add("a"), add("b", "c"), add("d")];
  await turn();
  assert.equal(texts(), ["a b c"]);
  assert.equal(settled, []);
  flushed[0]?.confirm();
  await Promise.all(adds.slice(0, 2));
  assert.equal(settled, ["a", "b c"]);
  await batcher.close();
  await turn();
  assert.equal(texts(), ["a b c", "d"]);
  flushed[1]?.confirm();
  await adds[2];
});

test("byte_size and check complete a batch, too; a check that fails does not", async () => {
  const sized = collecting({ byte_size: 5 });
  for (const text of ["ab", "cd", "e", "f"]) void sized.batcher.add(batchOf(text));
  await turn();
  assert.equal(sized.texts(), ["ab cd e"]);
  const checked = collecting({
    check: (batch, index) => {
      const text = textOf(batch[index] as Message); // the message just added
      if (text === "?") throw new MappingError("no");
      return text === "end";
    },
  });
  for (const text of ["a", "?", "end", "b"]) void checked.batcher.add(batchOf(text));
  await turn();
  assert.equal(checked.texts(), ["a ? end"]);
});

test("period begins with the first message", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    const { batcher, texts } = collecting({ period: 10, jitter: 0.5 });
    mock.timers.tick(20);
    void batcher.add(batchOf("a"));
    void batcher.add(batchOf("b"));
    mock.timers.tick(9);
    await turn();
    assert.equal(texts(), []);
    mock.timers.tick(6);
    await turn();
    assert.equal(texts(), ["a b"]);
  } finally {
    mock.timers.reset();
  }
});

test("without a limit everything passes as it comes", async () => {
  const { batcher, texts } = collecting({});
  void batcher.add(batchOf("a", "b"));
  void batcher.add(batchOf("c"));
  await turn();
  assert.equal(texts(), ["a b", "c"]);
});

test("once the stream drains, nothing is held back", async () => {
  const draining = new AbortController();
  const { batcher, texts } = collecting({ count: 10 }, { ...componentContext(), draining: draining.signal });
  void batcher.add(batchOf("a"));
  draining.abort();
  void batcher.add(batchOf("b"));
  await turn();
  assert.equal(texts(), ["a", "b"]);
});

test("processors run on the complete batch; what they drop is confirmed", async () => {
  const upper = each((message) => message.withBytes(Buffer.from(textOf(message).toUpperCase())));
  const { batcher, flushed, texts } = collecting({ count: 2, processors: [upper] });
  void batcher.add(batchOf("a"));
  void batcher.add(batchOf("b"));
  await turn();
  assert.equal(texts(), ["A B"]);
  flushed[0]?.confirm();
  const dropping = collecting({ count: 1, processors: [each(() => undefined)] });
  assert.equal(await dropping.batcher.add(batchOf("a")), {});
});

test("a failure goes to every part of the batch", async () => {
  const { batcher, flushed } = collecting({ count: 2 });
  const adds = [batcher.add(batchOf("a")), batcher.add(batchOf("b"))].map((add) =>
    add.catch((error) => error),
  );
  await turn();
  const failure = new GatewayError(502, "no");
  flushed[0]?.refuse(failure);
  assert.equal(await Promise.all(adds), [failure, failure]);
});

test("a message that can never be delivered holds up no other of its batch", async () => {
  const bad = new MappingError("bad");
  const batcher = new Batcher({ count: 3 }, componentContext(), async (batch) => {
    if (textOfBatch(batch).includes("bad")) throw bad;
    return {};
  });
  const adds = ["a", "bad", "c"].map((text) => batcher.add(batchOf(text)).catch((error) => error));
  assert.equal(await Promise.all(adds), [{}, bad, {}]);
});

test("each part gets its own replies, none where it is not certain whose they are", async () => {
  const { batcher, flushed } = collecting({ count: 3 });
  const adds = [batcher.add(batchOf("a", "b")), batcher.add(batchOf("c"))];
  await turn();
  const [first] = flushed;
  first?.confirm({ response: first.batch.toReversed() });
  const replies = (await Promise.all(adds)).map(({ response = [] }) => textOfBatch(response));
  assert.equal(replies, ["a b", "c"]);

  const again = [batcher.add(batchOf("d", "e")), batcher.add(batchOf("f"))];
  await turn();
  flushed[1]?.confirm({ response: batchOf("one for all", "another") });
  assert.equal(await Promise.all(again), [{}, {}]);
});

interface Step {
  readonly size: number;
  readonly outcome: "confirmed" | "refused";
}

test("property: every message goes out once and in order, and no part settles before its batch", async () => {
  const steps = fc.array(
    fc.record<Step>({
      size: fc.integer({ min: 1, max: 4 }),
      outcome: fc.constantFrom("confirmed", "refused"),
    }),
    { maxLength: 30 },
  );
  const policies = fc.record({
    count: fc.integer({ min: 0, max: 7 }),
    byte_size: fc.integer({ min: 0, max: 20 }),
  });
  await fc.assert(
    fc.asyncProperty(steps, policies, async (given, policy) => {
      const settledBatches = new Set<string>();
      let flushes = 0;
      const sent: string[] = [];
      const batcher = new Batcher(policy, componentContext(), async (batch) => {
        const outcome = given[flushes++ % Math.max(given.length, 1)]?.outcome;
        sent.push(...batch.map(textOf));
        await turn();
        for (const message of batch) settledBatches.add(textOf(message));
        if (outcome === "refused") throw new GatewayError(502, "no");
        return {};
      });
      let next = 0;
      const added: string[] = [];
      const adds = given.map(({ size }) => {
        const texts = Array.from({ length: size }, () => String(next++));
        added.push(...texts);
        const check = () =>
          assert.ok(
            texts.every((text) => settledBatches.has(text)),
            "not before its batch",
          );
        return batcher.add(batchOf(...texts)).then(check, check);
      });
      await batcher.close();
      await Promise.all(adds);
      assert.equal(sent, added);
    }),
    { seed: 8 },
  );
});

test.run();
