// `sluice/component/contract`: the requirements of inputs, outputs, processors and caches, as tests. They need no
// test runner: each case has a name and a function that rejects with a description of the problem, so that any runner
// can run them.

import { deepStrictEqual, fail, ok, strictEqual } from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import {
  type Batch,
  type Cache,
  type ComponentContext,
  type Delivered,
  GatewayError,
  type Input,
  type InputContext,
  Message,
  type Metadata,
  type Output,
  type Processor,
} from "../runtime/extension/component.ts";

/** One test. */
export interface ContractCase {
  readonly name: string;
  /** Rejects if the component violates the contract. */
  readonly run: () => Promise<void>;
}

/** Delivers a batch of an input; rejects if it is not delivered. */
type Deliver = (batch: Batch) => Promise<Delivered>;

/** A logger that writes nothing. */
const quiet: ComponentContext["log"] = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  with: () => quiet,
};

function nothing(): void {}

/** Returns a context to start a component with; its stream runs until `signal` is aborted. */
export function createContext(signal: AbortSignal = new AbortController().signal): ComponentContext {
  return { log: quiet, signal, beginOutage: () => nothing };
}

/** Returns a context for an input, whose batches go to `deliver`. */
export function createInputContext(deliver: Deliver, signal?: AbortSignal): InputContext {
  return { ...createContext(signal), deliver, beginBlockage: () => nothing };
}

/** An input to test, and how to send messages to its source. */
export interface InputUnderTest {
  /** Returns a new input for the source. */
  create(): Input;
  /** Sends one message to the source, which the input reads now or when it is started. */
  send(text: string): Promise<void>;
  /** Returns a new input for a source that cannot be reached; absent if the input connects to nothing. */
  unreachable?(): Input;
  /**
   * Resolves when the source has received the acknowledgements of all messages; must have a timeout. Absent if the
   * source has no acknowledgements.
   */
  acknowledged?(): Promise<void>;
}

/** Returns a function that creates cases, each with its own source or sink, which is always released. */
function casesOf<T>(kind: string, prepare: () => Promise<T>, release: (under: T) => Promise<void>) {
  return (name: string, run: (under: T) => Promise<void>): ContractCase => ({
    name: `${kind}: ${name}`,
    async run() {
      const under = await prepare();
      try {
        await run(under);
      } finally {
        await release(under);
      }
    },
  });
}

/** Returns the requirements of every input. `prepare` creates a source for each case, and `release` ends it. */
export function inputContract(
  prepare: () => Promise<InputUnderTest>,
  release: (under: InputUnderTest) => Promise<void> = async () => undefined,
): readonly ContractCase[] {
  const test = casesOf("input", prepare, release);
  return [
    test("hands over each message once, in the order of the source", async (under) => {
      const received = new Received();
      const input = await started(under, received.deliver);
      for (const text of ["one", "two", "three"]) await under.send(text);
      await received.until(3);
      await input.close();
      deepStrictEqual(received.texts, ["one", "two", "three"]);
    }),
    test("acknowledges after the delivery", async (under) => {
      const begun = Promise.withResolvers<void>();
      const end = Promise.withResolvers<Delivered>();
      const input = await started(under, () => {
        begun.resolve();
        return end.promise;
      });
      await under.send("one");
      await begun.promise;
      let isAcknowledged = false;
      const acknowledged = under.acknowledged?.().then(() => {
        isAcknowledged = true;
      });
      // Only an input that acknowledges too early can win this race.
      if (acknowledged !== undefined) await Promise.race([acknowledged, setTimeout(acknowledgementTime)]);
      const isEarly = isAcknowledged;
      end.resolve({});
      await acknowledged;
      await input.close();
      ok(!isEarly, "the input acknowledged the message before the delivery");
    }),
    test("delivers a message again that was refused", async (under) => {
      let attempts = 0;
      const received = new Received();
      const input = await started(under, async (batch) => {
        attempts += 1;
        if (attempts === 1) throw new GatewayError(502, "The output is not ready");
        return received.deliver(batch);
      });
      await under.send("one");
      await received.until(1);
      await input.close();
      deepStrictEqual(received.texts, ["one"]);
      strictEqual(attempts, 2);
    }),
    test("closes after the delivery that is in flight, and twice", async (under) => {
      const begun = Promise.withResolvers<void>();
      const end = Promise.withResolvers<Delivered>();
      const input = await started(under, () => {
        begun.resolve();
        return end.promise;
      });
      await under.send("one");
      await begun.promise;
      let isClosed = false;
      const closed = input.close().then(() => {
        isClosed = true;
      });
      await turn();
      ok(!isClosed, "`close` resolved before the delivery");
      end.resolve({});
      await closed;
      await input.close();
    }),
    test("rejects with a GatewayError where its source is unreachable", async (under) => {
      const input = under.unreachable?.();
      if (input === undefined) return;
      await rejectsWithGatewayError(() => input.start(createInputContext(async () => ({}))));
      await input.close();
    }),
  ];
}

/** An output to test, and how to read its other side. */
export interface OutputUnderTest {
  /** Returns a new output. */
  create(): Output;
  /** Returns the texts that arrived, in order, when there are `count` of them. Rejects if they do not arrive. */
  received(count: number): Promise<readonly string[]>;
  /**
   * Holds back the confirmations of the other side on the outputs that are started, until the returned function is
   * called; messages still arrive. Absent if the other side confirms nothing.
   */
  holdConfirmations?(): () => void;
  /** Returns a new output whose other side cannot be reached; absent if the output connects to nothing. */
  unreachable?(): Output;
}

/** Returns the requirements of every output. */
export function outputContract(
  prepare: () => Promise<OutputUnderTest>,
  release: (under: OutputUnderTest) => Promise<void> = async () => undefined,
): readonly ContractCase[] {
  const test = casesOf("output", prepare, release);
  return [
    test("resolves once every message of a batch has arrived, in order", async (under) => {
      const output = under.create();
      await output.start(createContext());
      await output.write(batchOf("one", "two"));
      await output.write(batchOf("three"));
      deepStrictEqual(await under.received(3), ["one", "two", "three"]);
      await output.close();
    }),
    test("keeps the order of writes that are in flight together", async (under) => {
      const output = under.create();
      await output.start(createContext());
      await Promise.all(["a", "b", "c", "d"].map((text) => output.write(batchOf(text))));
      deepStrictEqual(await under.received(4), ["a", "b", "c", "d"]);
      await output.close();
    }),
    test("resolves after the confirmation", async (under) => {
      if (under.holdConfirmations === undefined) return;
      const output = under.create();
      await output.start(createContext());
      const release = under.holdConfirmations();
      let isResolved = false;
      let isEarly = false;
      const written = output.write(batchOf("one")).then(() => {
        isResolved = true;
      });
      try {
        // Only an output that does not wait for the confirmation can win this race.
        await Promise.race([written, setTimeout(confirmationTime)]);
        isEarly = isResolved;
      } finally {
        release();
      }
      await written;
      await output.close();
      ok(!isEarly, "`write` resolved before the confirmation");
    }),
    test("closes twice", async (under) => {
      const output = under.create();
      await output.start(createContext());
      await output.close();
      await output.close();
    }),
    test("rejects with a GatewayError where the other side is unreachable", async (under) => {
      const output = under.unreachable?.();
      if (output === undefined) return;
      await rejectsWithGatewayError(() => output.start(createContext()));
      await output.close();
    }),
  ];
}

/** A processor to test, and messages for it. */
export interface ProcessorUnderTest {
  create(): Processor;
  /** Messages that it can process. */
  readonly accepted: readonly string[];
  /** Messages that it fails on; empty if it cannot fail. */
  readonly failing: readonly string[];
}

/** Returns the requirements of every processor. */
export function processorContract(under: ProcessorUnderTest): readonly ContractCase[] {
  const process = async (texts: readonly string[]): Promise<{ given: Batch; left: Batch }> => {
    const processor = under.create();
    const given = batchOf(...texts);
    const left = (await processor.process(given, createContext())).flat();
    await processor.close?.();
    return { given, left };
  };
  return [
    {
      name: "processor: leaves the messages that it is given unchanged",
      async run() {
        const { given } = await process(under.accepted);
        deepStrictEqual(textsOf(given), under.accepted);
      },
    },
    {
      name: "processor: flags no message that it can process",
      async run() {
        const { left } = await process(under.accepted);
        for (const { failure } of left) strictEqual(failure, undefined);
      },
    },
    {
      name: "processor: passes on a message that it fails on, flagged and unchanged",
      async run() {
        if (under.failing.length === 0) return;
        const { left } = await process(under.failing);
        deepStrictEqual(textsOf(left), under.failing);
        for (const { failure } of left) ok(failure instanceof GatewayError, "a message is not flagged");
      },
    },
  ];
}

/** Returns the requirements of every cache; `create` returns an empty one. */
export function cacheContract(create: () => Promise<Cache> | Cache): readonly ContractCase[] {
  const [one, two] = [Buffer.from("one"), Buffer.from("two")];
  const test = (name: string, run: (cache: Cache) => Promise<void>): ContractCase => ({
    name: `cache: ${name}`,
    async run() {
      const cache = await create();
      await cache.start?.(createContext());
      try {
        await run(cache);
      } finally {
        await cache.close?.();
      }
    },
  });
  const read = async (cache: Cache, key: string) => {
    const value = await cache.get(key);
    return value && Buffer.from(value).toString("utf8");
  };
  return [
    test("gives what was set, and nothing for other keys", async (cache) => {
      await cache.set("key", one);
      strictEqual(await read(cache, "key"), "one");
      strictEqual(await read(cache, "other"), undefined);
      await cache.set("key", two);
      strictEqual(await read(cache, "key"), "two");
    }),
    test("adds only where there is nothing", async (cache) => {
      strictEqual(await cache.add("key", one), true);
      strictEqual(await cache.add("key", two), false);
      strictEqual(await read(cache, "key"), "one");
    }),
    test("deletes keys, including missing ones", async (cache) => {
      await cache.set("key", one);
      await cache.delete("key");
      await cache.delete("key");
      strictEqual(await read(cache, "key"), undefined);
    }),
  ];
}

/** Returns a batch of messages with these texts. */
export function batchOf(...texts: readonly string[]): Batch {
  const metadata: Metadata = new Map();
  return texts.map((text) => Message.fromText(text, metadata));
}

/** Returns the contents of messages as text. */
export function textsOf(batch: Batch): readonly string[] {
  return batch.map((message) => Buffer.from(message.bytes()).toString("utf8"));
}

async function started(under: InputUnderTest, deliver: Deliver): Promise<Input> {
  const input = under.create();
  await input.start(createInputContext(deliver));
  return input;
}

/** Records the messages that were delivered. */
class Received {
  readonly texts: string[] = [];
  readonly #waiting = new Set<() => void>();

  readonly deliver: Deliver = async (batch) => {
    this.texts.push(...textsOf(batch));
    for (const check of this.#waiting) check();
    return {};
  };

  /** Resolves when `count` messages were delivered; only the timeout of the test runner limits the wait. */
  until(count: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const check = () => {
      if (this.texts.length < count) return;
      this.#waiting.delete(check);
      resolve();
    };
    this.#waiting.add(check);
    check();
    return promise;
  }
}

/** How long an acknowledgement that is sent too early may take to the source, in milliseconds. */
const acknowledgementTime = 100;

/** How long a `write` that does not wait for its confirmation may take, in milliseconds. */
const confirmationTime = 100;

/** Runs all callbacks that are ready. */
function turn(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  setImmediate(resolve);
  return promise;
}

async function rejectsWithGatewayError(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    ok(error instanceof GatewayError, `it rejected with ${String(error)}, which is not a GatewayError`);
    return;
  }
  fail("it did not reject");
}
