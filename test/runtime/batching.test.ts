import { mock } from "node:test";
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { memoryBuffer } from "../../runtime/buffers/memory.ts";
import type { Delivered, Input, Output } from "../../runtime/component/component.ts";
import { createRedelivery } from "../../runtime/component/redelivery.ts";
import { DeliveryWindow, singly } from "../../runtime/concurrency/delivery-window.ts";
import { Collectors } from "../../runtime/concurrency/in-flight.ts";
import { brokerOutput } from "../../runtime/connectors/broker/output.ts";
import { bufferedInput } from "../../runtime/connectors/buffered/input.ts";
import { fallbackOutput } from "../../runtime/connectors/fallback/output.ts";
import { rejectOutput } from "../../runtime/connectors/reject/output.ts";
import { switchOutput } from "../../runtime/connectors/switch/output.ts";
import { GatewayError, MappingError } from "../../runtime/errors.ts";
import type { Batch, Message } from "../../runtime/message/message.ts";
import { Batcher, type BatchPolicy } from "../../runtime/processors/around/batching.ts";
import { inputWithBatching, outputWithBatching } from "../../runtime/processors/around/with-batching.ts";
import { splitBatch } from "../../runtime/processors/batch-parts.ts";
import { batchOf, componentContext, inputContext, textOfBatch } from "./connectors/contexts.ts";
import { each, textOf } from "./gateway/components.ts";

const test = suite("batching");

interface Flushed {
  readonly batch: Batch;
  readonly text: string;
  confirm(delivered?: Delivered): void;
  refuse(error: Error): void;
}

/** Returns a batcher whose batches wait until the test settles them. */
function collecting(policy: BatchPolicy, context = componentContext()) {
  const flushed: Flushed[] = [];
  const batcher = new Batcher(policy, context, (batch) => {
    return new Promise((confirm, refuse) => {
      flushed.push({ batch, text: textOfBatch(batch), confirm: (by = {}) => confirm(by), refuse });
    });
  });
  return { batcher, flushed, texts: () => flushed.map(({ text }) => text) };
}

/** Waits for everything that needs no timer. */
const turn = () => new Promise(setImmediate);

test("count: a batch is complete with that many messages, and each part waits for its delivery", async () => {
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

test("byte_size and check also complete a batch; a check that fails does not", async () => {
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

test("period starts with the first message", async () => {
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

test("without a limit each batch passes immediately", async () => {
  const { batcher, texts } = collecting({});
  void batcher.add(batchOf("a", "b"));
  void batcher.add(batchOf("c"));
  await turn();
  assert.equal(texts(), ["a b", "c"]);
});

test("while the stream drains, messages are not held back", async () => {
  const draining = new AbortController();
  const { batcher, texts } = collecting(
    { count: 10 },
    { ...componentContext(), draining: () => draining.signal },
  );
  void batcher.add(batchOf("a"));
  draining.abort();
  void batcher.add(batchOf("b"));
  await turn();
  assert.equal(texts(), ["a", "b"]);
});

test("processors run on the complete batch; dropped messages are acknowledged", async () => {
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

test("what processors make of a batch is one batch, even if they split it", async () => {
  const { batcher, flushed, texts } = collecting({ count: 3, processors: [splitBatch({ size: 1 })] });
  const added = batcher.add(batchOf("a", "b", "c"));
  await turn();
  assert.equal(texts(), ["a b c"]);
  flushed[0]?.confirm();
  await added;
});

test("a failed batch rejects every part of it", async () => {
  const { batcher, flushed } = collecting({ count: 2 });
  const adds = [batcher.add(batchOf("a")), batcher.add(batchOf("b"))].map((add) =>
    add.catch((error) => error),
  );
  await turn();
  const failure = new GatewayError(502, "no");
  flushed[0]?.refuse(failure);
  assert.equal(await Promise.all(adds), [failure, failure]);
});

test("an undeliverable message does not block the others of its batch", async () => {
  const bad = new MappingError("bad");
  const batcher = new Batcher({ count: 3 }, componentContext(), async (batch) => {
    if (textOfBatch(batch).includes("bad")) throw bad;
    return {};
  });
  const adds = ["a", "bad", "c"].map((text) => batcher.add(batchOf(text)).catch((error) => error));
  assert.equal(await Promise.all(adds), [{}, bad, {}]);
});

test("each part gets its own replies, and none where their assignment is ambiguous", async () => {
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

test("property: every message is sent once and in order, and no part settles before its batch", async () => {
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

/** A tree of nested outputs. */
type Tree =
  | { readonly kind: "leaf" }
  | { readonly kind: "batching"; readonly count: number; readonly children: readonly Tree[] }
  | { readonly kind: "fan_out" | "round_robin" | "switch" | "fallback"; readonly children: readonly Tree[] };

const { tree } = fc.letrec<{ tree: Tree }>((tie) => {
  const of = (kind: Exclude<Tree["kind"], "leaf" | "batching">, children: number) =>
    fc.record({
      kind: fc.constant(kind),
      children: fc.array(tie("tree"), { minLength: children, maxLength: children }),
    });
  return {
    tree: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.record({ kind: fc.constant("leaf" as const) }),
      fc.record({
        kind: fc.constant("batching" as const),
        count: fc.integer({ min: 1, max: 80 }),
        children: fc.array(tie("tree"), { minLength: 1, maxLength: 1 }),
      }),
      of("fan_out", 2),
      of("round_robin", 2),
      of("switch", 2),
      of("fallback", 1),
    ),
  };
});

const isEven = (text: string) => Number(text) % 2 === 0;

/** Returns a write that adds to `leaves` what each leaf receives in the reference engine: every complete batch. */
function expected(of: Tree, leaves: string[][]): (batch: readonly string[]) => void {
  if (of.kind === "leaf") {
    const own: string[] = [];
    leaves.push(own);
    return (batch) => void own.push(batch.join(" "));
  }
  const children = of.children.map((child) => expected(child, leaves));
  if (of.kind === "batching") {
    let held: string[] = [];
    return (batch) => {
      held.push(...batch);
      if (held.length < of.count) return;
      const complete = held;
      held = [];
      children[0]?.(complete);
    };
  }
  let turns = 0;
  return (batch) => {
    if (of.kind === "round_robin") return children[turns++ % children.length]?.(batch);
    if (of.kind !== "switch") for (const child of children) child(batch);
    const cases = [batch.filter(isEven), batch.filter((text) => !isEven(text))];
    if (of.kind === "switch")
      for (const [at, part] of cases.entries()) if (part.length > 0) children[at]?.(part);
  };
}

function composed(of: Tree, leaves: string[][]): Output {
  if (of.kind === "leaf") {
    const own: string[] = [];
    leaves.push(own);
    return {
      start: async () => undefined,
      close: async () => undefined,
      async write(batch) {
        await turn();
        own.push(textOfBatch(batch));
        return {};
      },
    };
  }
  const outputs = of.children.map((child) => composed(child, leaves));
  const [first = composed({ kind: "leaf" }, []), second = first] = outputs;
  if (of.kind === "batching") return outputWithBatching(first, { count: of.count });
  if (of.kind === "fallback") return fallbackOutput([rejectOutput(() => "no"), first]);
  if (of.kind !== "switch") return brokerOutput({ pattern: of.kind, outputs });
  const check = (batch: Batch, index: number) => isEven(textOf(batch[index] as Message));
  return switchOutput({ cases: [{ check, output: first }, { output: second }] });
}

/** Returns an input that reads the next number only after the previous one is confirmed. */
function numbers(count: number): Input {
  return {
    async start(context) {
      const redelivery = createRedelivery(context);
      const read = async () => {
        for (let next = 0; next < count; next++) {
          await redelivery.deliverNext(batchOf(String(next)), new AbortController().signal);
        }
      };
      void read();
    },
    close: async () => undefined,
  };
}

test("a batch that the limit of a source keeps from being complete is delivered, at each of several stages", async () => {
  const limited: Input = {
    async start(context) {
      const { collectors } = context;
      const window = new DeliveryWindow<Message>({
        limit: 4,
        ...(collectors !== undefined && { collectors }),
        isSourceLimited: true,
        held: 4,
        bytes: Number.POSITIVE_INFINITY,
        sizeOf: () => 0,
        deliver: singly(async (message) => void (await context.deliver([message]))),
        onDropped: () => undefined,
      });
      for (const message of batchOf("a", "b", "c", "d")) window.take(message, false);
      await window.idle();
      for (const message of batchOf("e", "f", "g", "h")) window.take(message, false);
      await window.idle();
    },
    async close() {},
  };
  const flushed: string[] = [];
  const target: Output = {
    async start() {},
    async write(batch) {
      flushed.push(textOfBatch(batch));
      return {};
    },
    async close() {},
  };
  for (const [before, behind] of [
    [{ count: 100 }, {}],
    [{}, { count: 100 }],
    [{ count: 3 }, { count: 100 }],
    [{ count: 100 }, { count: 100 }],
  ] as const) {
    flushed.length = 0;
    const collectors = new Collectors();
    const output = outputWithBatching(target, behind);
    await output.start({ ...componentContext(), collectors });
    const input = inputWithBatching(limited, before);
    await input.start({ ...inputContext(), collectors, deliver: (batch) => output.write(batch) });
    assert.equal(flushed, ["a b c d", "e f g h"], JSON.stringify([before, behind]));
    await Promise.all([input.close(), output.close()]);
  }
});

test("property: batches fill although the input waits for acknowledgements, with any composition", async () => {
  const given = fc.record({
    messages: fc.integer({ min: 1, max: 200 }),
    inputs: fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 2 }),
    outputs: tree,
    dropped: fc.integer({ min: 2, max: 9 }),
    buffer: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(given, async ({ messages, inputs, outputs, dropped, buffer }) => {
      const isKept = (text: string) => Number(text) % dropped !== 0;
      const wanted: string[][] = [];
      const feed = inputs.reduce<(batch: readonly string[]) => void>(
        (after, count) => {
          let held: string[] = [];
          return (batch) => {
            held.push(...batch);
            if (held.length < count) return;
            after(held);
            held = [];
          };
        },
        ((write) => (batch: readonly string[]) => {
          if (batch.some(isKept)) write(batch.filter(isKept));
        })(expected(outputs, wanted)),
      );
      for (let next = 0; next < messages; next++) feed([String(next)]);

      const got: string[][] = [];
      const output = composed(outputs, got);
      const collectors = new Collectors();
      const batched = inputs
        .toReversed()
        .reduce((child, count) => inputWithBatching(child, { count }), numbers(messages));
      const input = buffer ? bufferedInput({ child: batched, buffer: memoryBuffer({}) }) : batched;
      await output.start({ ...componentContext(), collectors });
      await input.start({
        ...inputContext(),
        collectors,
        async deliver(batch) {
          const kept = batch.filter((message) => isKept(textOf(message)));
          return kept.length === 0 ? {} : output.write(kept);
        },
      });
      const size = (leaves: string[][]) => leaves.reduce((sum, leaf) => sum + leaf.length, 0);
      for (let rest = 0; rest < 20; rest++) {
        const before = size(got);
        for (let turns = 0; turns < 20; turns++) await turn();
        if (size(got) === size(wanted) && before === size(got)) break;
      }
      assert.equal(got, wanted);
    }),
    { seed: 16, numRuns: 150 },
  );
});

test.run();
