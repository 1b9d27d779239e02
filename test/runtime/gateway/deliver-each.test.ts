import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { observe } from "../../../runtime/analytics/observe.ts";
import type {
  DeliverBatch,
  Delivered,
  DeliveryObserver,
  Input,
  OutcomeListener,
  Output,
  Processor,
} from "../../../runtime/component/component.ts";
import { deliverEach, report } from "../../../runtime/component/deliver-each.ts";
import { Ordering } from "../../../runtime/concurrency/ordering.ts";
import { GatewayError, MappingError } from "../../../runtime/errors.ts";
import { type Batch, LateAttributes, Message, type Metadata } from "../../../runtime/message/message.ts";
import { createLogger } from "../../../runtime/process/log.ts";
import type { BatchPolicy } from "../../../runtime/processors/around/batching.ts";
import { inputWithBatching, outputWithBatching } from "../../../runtime/processors/around/with-batching.ts";
import { Delivery } from "../../../runtime/stream/delivery.ts";
import type { Tap } from "../../../runtime/stream/observer.ts";
import { createCounters } from "../../../runtime/stream/stream-state.ts";
import { collectGarbage } from "../../harness/heap.ts";
import { batchOf, componentContext, inputContext, textOfBatch } from "../connectors/contexts.ts";
import { memoryOutput, textOf } from "./components.ts";

const test = suite("deliver each");

/** Waits for everything that needs no timer. */
const turn = () => new Promise(setImmediate);

/** Processes messages as their first letter says, without a scope. */
const byLetter: Processor = {
  process(batch) {
    const [message = Message.fromText("")] = batch;
    const letter = textOf(message)[0];
    if (letter === "b") return [[message.withFailure(new MappingError("bad"))]];
    if (letter === "d") return [];
    if (letter === "s") return [[message, message]];
    if (letter === "t") throw new GatewayError(500, "thrown");
    if (letter === "l") return new Promise((resolve) => setImmediate(resolve, [batch]));
    return [[message.withBytes(Buffer.from(textOf(message)))]];
  },
};

/** Refuses messages that begin with "r". */
async function confirmByLetter([message]: Batch): Promise<Delivered> {
  if (message !== undefined && textOf(message).startsWith("r")) throw new GatewayError(502, "refused");
  return {};
}

/** The largest number of messages that were written at once. */
let largestWrite = 0;

async function outcomesOf(
  texts: readonly string[],
  { strategy, isObserved, atOnce }: { strategy: "reject" | "none"; isObserved: boolean; atOnce: boolean },
) {
  const memory = memoryOutput(confirmByLetter);
  const output: Output = {
    ...memory,
    writeEach(messages, listener) {
      largestWrite = Math.max(largestWrite, messages.length);
      for (const [index, message] of messages.entries()) report(memory.write([message]), index, listener);
    },
  };
  const context = { log: createLogger("silent"), signal: new AbortController().signal };
  const counters = createCounters();
  const parts = {
    stream: "intake",
    pipeline: [byLetter],
    output,
    errorHandling: { strategy },
    ordering: new Ordering(),
  };
  const observed: string[] = [];
  const observer: DeliveryObserver = {
    began: (batch) => ({
      batch: batch.map((message) => message.withEntries([["observed", textOf(message)]])),
      ended: (failure) => observed.push(`${batch.map(textOf)} ${failure?.message}`),
    }),
  };
  const delivery = new Delivery(parts, context, counters, isObserved ? observer : undefined);
  const input = { sequenceOf: (message: Message) => ({ name: textOf(message).slice(1), isKey: true }) };
  const ofInput: DeliverBatch = (batch) => delivery.deliver(batch, input);
  if (atOnce) ofInput.direct = () => delivery.direct(input);
  const outcomes = texts.map(() => Promise.withResolvers<string>());
  const messages = texts.map((text) => Message.fromText(text));
  deliverEach(ofInput, messages, {
    confirm: (index) => outcomes[index]?.resolve("confirmed"),
    fail: (index, error) => outcomes[index]?.resolve(String(error)),
  });
  const settled = await Promise.all(outcomes.map(({ promise }) => promise));
  await delivery.empty();
  const byKey = Map.groupBy(memory.texts, (text) => text.slice(1));
  const seen = memory.batches.flat().map(({ metadata }) => metadata.get("observed"));
  assert.is(observed.length, isObserved ? texts.length : 0);
  return {
    settled,
    counters,
    written: [...byKey].toSorted(),
    observed: observed.toSorted(),
    seen: seen.toSorted(),
  };
}

for (const [strategy, isObserved] of [
  ["reject", false],
  ["none", false],
  ["reject", true],
] as const) {
  const how = isObserved ? "an observer" : strategy;
  test(`with ${how}, messages delivered at once have the outcomes and the order of single ones`, async () => {
    largestWrite = 0;
    const text = fc
      .tuple(fc.constantFrom("b", "d", "s", "t", "l", "r", "o", "o", "o"), fc.nat(2))
      .map(([letter, key]) => `${letter}${key}`);
    for (const texts of fc.sample(fc.array(text, { maxLength: 12 }), { seed: 11, numRuns: 60 })) {
      assert.equal(
        await outcomesOf(texts, { strategy, isObserved, atOnce: true }),
        await outcomesOf(texts, { strategy, isObserved, atOnce: false }),
        texts.join(),
      );
    }
    assert.ok(largestWrite > 1);
  });
}

test("a live tail that begins during a run samples the messages after it, in their order", async () => {
  const written: string[] = [];
  const listeners: OutcomeListener[] = [];
  const release = Promise.withResolvers<Delivered>();
  const output: Output = {
    async start() {},
    write(batch) {
      written.push(textOfBatch(batch));
      return release.promise;
    },
    writeEach(messages, listener) {
      written.push(textOfBatch(messages));
      listeners.push(listener);
    },
    async close() {},
  };
  const sampled: string[] = [];
  const tap: Tap = { listener: undefined };
  const parts = {
    stream: "intake",
    pipeline: [byLetter],
    output,
    errorHandling: { strategy: "reject" as const },
    tap,
  };
  const counters = createCounters();
  const ofStream = new Delivery(parts, componentContext(), counters);
  const deliver: DeliverBatch = Object.assign((batch: Batch) => ofStream.deliver(batch), {
    direct: () => ofStream.direct(),
  });
  const confirmed: string[] = [];
  const begin = (...texts: string[]) =>
    deliverEach(deliver, batchOf(...texts), {
      confirm: (index) => confirmed.push(String(texts[index])),
      fail: () => assert.unreachable(),
    });
  begin("o1", "o2", "o3");
  listeners[0]?.confirm(1);
  tap.listener = (batch) => sampled.push(textOfBatch(batch));
  begin("o4", "o5");
  tap.listener = undefined;
  begin("o6", "o7");
  assert.equal(written, ["o1 o2 o3", "o4", "o5", "o6 o7"]);
  assert.equal(sampled, ["o4", "o5"]);
  for (const listener of listeners)
    for (const index of listener === listeners[0] ? [0, 2] : [0, 1]) listener.confirm(index);
  release.resolve({});
  await turn();
  assert.equal(confirmed, ["o2", "o1", "o3", "o6", "o7", "o4", "o5"]);
  assert.is(counters.delivered, 7);
  assert.is(counters.inFlight, 0);
});

/** Returns messages of two partitions, which never collect their metadata. */
function recordsOf(texts: readonly string[]): Message[] {
  class Unread extends LateAttributes {
    protected override collect(): Metadata {
      throw new Error("the metadata was read");
    }
  }
  return texts.map((text) => {
    const part = (text.codePointAt(0) ?? 0) % 2 === 0 ? "even" : "odd";
    return Message.withAttributes(Buffer.from(text), new Unread({ part, offset: 0n }));
  });
}

/** The batches and outcomes of messages that an input delivers in chunks, at once or one by one. */
async function collected(chunks: readonly string[], policy: BatchPolicy, { atOnce }: { atOnce: boolean }) {
  const batches: string[] = [];
  const outcomes: string[] = [];
  let deliver: DeliverBatch = () => Promise.reject(new Error("the input has not started"));
  const positions = {
    undelivered: () => undefined,
    from: () => {
      throw new Error("nothing is read again");
    },
  };
  const source: Input = {
    async start(context) {
      deliver = atOnce ? context.deliver : (batch) => context.deliver(batch);
    },
    async close() {},
    positions,
  };
  const input = inputWithBatching(source, policy);
  await input.start({
    ...inputContext(),
    async deliver(batch) {
      const text = textOfBatch(batch);
      batches.push(text);
      await turn();
      if (text.includes("x")) throw new MappingError("never");
      if (text.includes("y")) throw new GatewayError(502, "later");
      return {};
    },
  });
  assert.is(deliver.each !== undefined, atOnce);
  for (const chunk of chunks) {
    const settle = (index: number, outcome: string) => outcomes.push(`${chunk} ${index} ${outcome}`);
    deliverEach(deliver, recordsOf(chunk.split("")), {
      confirm: (index) => settle(index, "confirmed"),
      fail: (index, error) => settle(index, String(error)),
    });
  }
  await turn();
  await input.close();
  return { batches, outcomes: outcomes.toSorted() };
}

test("property: messages delivered at once have the batches and outcomes of single ones", async () => {
  const letters = fc.constantFrom("a", "b", "c", "d", "x", "y");
  const chunks = fc.array(fc.string({ unit: letters, minLength: 1, maxLength: 9 }), { maxLength: 4 });
  const policies = fc.oneof(
    fc.record({ count: fc.integer({ min: 0, max: 5 }) }),
    fc.record({ byte_size: fc.integer({ min: 1, max: 5 }) }),
    fc.constant<BatchPolicy>({ check: (batch, index) => textOf(batch[index] as Message) === "d" }),
  );
  let largest = 0;
  await fc.assert(
    fc.asyncProperty(chunks, policies, async (given, policy) => {
      const { batches, outcomes } = await collected(given, policy, { atOnce: true });
      assert.equal({ batches, outcomes }, await collected(given, policy, { atOnce: false }));
      assert.is(outcomes.length, given.join("").length);
      largest = Math.max(largest, ...batches.map(({ length }) => length));
    }),
    { seed: 23, numRuns: 100 },
  );
  assert.ok(largest > 1);
});

test("observed messages are not kept until they are confirmed, once the output has them", async () => {
  const received: WeakRef<Message>[] = [];
  const waiting: OutcomeListener[] = [];
  const output: Output = { ...memoryOutput(), writeEach: (_, each) => void waiting.push(each) };
  const parts = { stream: "intake", pipeline: [], output, errorHandling: { strategy: "reject" as const } };
  const context = { log: createLogger("silent"), signal: new AbortController().signal };
  const seen: DeliveryObserver = {
    began(batch) {
      for (const message of batch) received.push(new WeakRef(message));
      return { batch, ended: () => undefined };
    },
  };
  const observer = observe({ stream: () => seen }, { stream: () => seen }).stream("orders", "intake");
  const delivery = new Delivery(parts, context, createCounters(), observer);
  const listener: OutcomeListener = { confirm: () => undefined, fail: () => undefined };
  const ofInput: DeliverBatch = (batch) => delivery.deliver(batch);
  ofInput.direct = () => delivery.direct(undefined);
  deliverEach(ofInput, batchOf("a", "b"), listener);
  await turn();
  collectGarbage();
  assert.is(waiting.length, 1);
  assert.equal(
    received.map((message) => message.deref()),
    [undefined, undefined, undefined, undefined],
  );
});

test("an input closes once each message that was delivered at once has its outcome", async () => {
  const { promise: delivered, resolve: end } = Promise.withResolvers<Delivered>();
  let deliver: DeliverBatch = () => Promise.reject(new Error("the input has not started"));
  const source: Input = {
    async start(context) {
      deliver = context.deliver;
    },
    async close() {},
  };
  const input = inputWithBatching(source, { count: 2 });
  await input.start({ ...inputContext(), deliver: () => delivered });
  const confirmed: number[] = [];
  const listener = { confirm: (index: number) => confirmed.push(index), fail: () => assert.unreachable() };
  deliverEach(deliver, batchOf("a", "b", "c"), listener);
  let isClosed = false;
  const closed = input.close().then(() => {
    isClosed = true;
  });
  await turn();
  assert.not(isClosed);
  end({});
  await closed;
  assert.equal(confirmed, [0, 1, 2]);
});

test("an output with batching takes messages at once, each with the outcome of its batch", async () => {
  const written: string[] = [];
  const child: Output = {
    async start() {},
    async write(batch) {
      written.push(textOfBatch(batch));
      if (written.length > 1) throw new GatewayError(502, "no");
      return {};
    },
    async close() {},
  };
  const output = outputWithBatching(child, { count: 2 });
  const settled: string[] = [];
  const listener = {
    confirm: (index: number) => void settled.push(`${index} confirmed`),
    fail: (index: number, error: unknown) => void settled.push(`${index} ${error}`),
  };
  output.writeEach?.(batchOf("early"), listener);
  await output.start(componentContext());
  output.writeEach?.(batchOf("a", "b", "c"), listener);
  await turn();
  assert.equal(written, ["a b"]);
  await output.close();
  await turn();
  assert.equal(written, ["a b", "c"]);
  assert.equal(settled.slice(1), ["0 confirmed", "1 confirmed", "2 GatewayError: no"]);
  assert.match(settled[0] ?? "", /^0 GatewayError/);
});

test.run();
