import { test } from "uvu";
import * as assert from "uvu/assert";
import {
  batchOf,
  type ContractCase,
  cacheContract,
  createContext,
  inputContract,
  outputContract,
  processorContract,
  textsOf,
} from "../../component/contract.ts";
import { GatewayError } from "../../runtime/errors.ts";
import type { Input, Output, Processor } from "../../runtime/extension/component.ts";
import { lruCache, ttlruCache } from "../../runtime/resources/lru-cache.ts";
import { memoryCache } from "../../runtime/resources/memory-cache.ts";

// The contract that packages run on their components: our own caches and processors keep it, and components that do not are
// found out. Connectors of ours run it beside their broker (`test/component/*.nats.test.ts`).

function run(cases: readonly ContractCase[], of: string): void {
  for (const each of cases) test(`${of}: ${each.name}`, each.run);
}

run(
  cacheContract(() => memoryCache({ compaction_interval: 0 })),
  "memory",
);
run(
  cacheContract(() => lruCache({})),
  "lru",
);
run(
  cacheContract(() => ttlruCache({})),
  "ttlru",
);

/** The names of cases that a component fails. */
async function failing(cases: readonly ContractCase[]): Promise<readonly string[]> {
  const names: string[] = [];
  for (const { name, run } of cases) {
    try {
      await run();
    } catch {
      names.push(name);
    }
  }
  return names;
}

const reverse: Processor = {
  process: (batch) => [
    batch.map((message) =>
      message.withBytes(Buffer.from([...Buffer.from(message.bytes()).toString()].reverse().join(""))),
    ),
  ],
};
run(processorContract({ create: () => reverse, accepted: ["abc", ""], failing: [] }), "reverse");

test("control: the contract detects a processor that drops failed messages", async () => {
  const dropping: Processor = {
    process: (batch) => [batch.filter((message) => message.document() !== undefined)],
  };
  const cases = processorContract({ create: () => dropping, accepted: ["{}"], failing: ["{"] });
  assert.equal(await failing(cases), [
    "processor: passes on a message that it fails on, flagged and unchanged",
  ]);
});

test("control: the contract detects an input that acknowledges early, never redelivers and closes early", async () => {
  let handler: ((text: string) => void) | undefined;
  const acknowledged = Promise.withResolvers<void>();
  const input: Input = {
    async start(context) {
      handler = (text) => {
        void context.deliver(batchOf(text)).catch(() => undefined);
        acknowledged.resolve();
      };
    },
    close: async () => undefined,
  };
  const cases = inputContract(async () => ({
    create: () => input,
    send: async (text) => handler?.(text),
    acknowledged: () => acknowledged.promise,
    unreachable: () => ({ ...input, start: async () => Promise.reject(new Error("no")) }),
  }));
  // The case of a refused message would wait for the delivery that never comes.
  const found = await failing(cases.filter(({ name }) => !name.includes("again")));
  assert.equal(found, [
    "input: acknowledges after the delivery",
    "input: closes after the delivery that is in flight, and twice",
    "input: rejects with a GatewayError where its source is unreachable",
  ]);
});

test("control: the contract detects an output that reorders messages, and accepts one that keeps the order", async () => {
  const create = (mixesUp: boolean) => {
    const arrived: string[] = [];
    const output: Output = {
      start: async () => undefined,
      async write(batch) {
        const texts = textsOf(batch);
        arrived.push(...(mixesUp ? texts.toReversed() : texts));
        return {};
      },
      close: async () => undefined,
    };
    const unreachable: Output = { ...output, start: () => Promise.reject(new GatewayError(502, "no")) };
    return { create: () => output, received: async () => arrived, unreachable: () => unreachable };
  };
  assert.equal(await failing(outputContract(async () => create(false))), []);
  assert.equal(await failing(outputContract(async () => create(true))), [
    "output: resolves once every message of a batch has arrived, in order",
  ]);
});

test("control: the contract detects an output that resolves before the confirmation", async () => {
  const cases = (waits: boolean) =>
    outputContract(async () => {
      const arrived: string[] = [];
      let confirmed: Promise<void> = Promise.resolve();
      const output: Output = {
        start: async () => undefined,
        async write(batch) {
          arrived.push(...textsOf(batch));
          if (waits) await confirmed;
          return {};
        },
        close: async () => undefined,
      };
      return {
        create: () => output,
        received: async () => arrived,
        holdConfirmations() {
          const { promise, resolve } = Promise.withResolvers<void>();
          confirmed = promise;
          return resolve;
        },
      };
    });
  assert.equal(await failing(cases(true)), []);
  assert.equal(await failing(cases(false)), ["output: resolves after the confirmation"]);
});

test("the test context provides what components need", () => {
  const { log, signal, beginOutage } = createContext();
  log.with({}).info("nothing is written");
  beginOutage?.("lost")();
  assert.not.ok(signal.aborted);
});

test.run();
