import { test } from "uvu";
import * as assert from "uvu/assert";
import type { Delivered, Processor } from "../../../runtime/component/component.ts";
import type { SyncCache } from "../../../runtime/component/resource.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { sharing } from "../../../runtime/gateway.ts";
import { outputWithBatching } from "../../../runtime/processors/around/with-batching.ts";
import { localRateLimit } from "../../../runtime/resources/local-rate-limit.ts";
import { memoryCache } from "../../../runtime/resources/memory-cache.ts";
import { until } from "../../harness/wait.ts";
import { manualInput, memoryOutput, textOf } from "../gateway/components.ts";
import { deployed, liveGateway, mark, stateOf } from "./deployment.ts";

/** Returns an output whose batches the test confirms. */
function heldOutput() {
  const confirms: (() => void)[] = [];
  const output = memoryOutput(() => new Promise<Delivered>((resolve) => confirms.push(() => resolve({}))));
  return { output, confirms };
}

test("parts with equal digests are left unchanged", async () => {
  const [input, output] = [manualInput(), memoryOutput()];
  const { gateway, live } = await liveGateway([deployed({ s: () => ({ input, output }) })]);
  await input.deliver("a");
  const unused = { input: manualInput(), output: memoryOutput() };
  const next = deployed({ s: () => unused, other: () => ({ input: manualInput(), output: memoryOutput() }) });
  assert.equal(await live.apply([next]), [{ api: "orders", outcome: "applied" }]);
  await input.deliver("b");
  assert.equal([input.starts, input.closes, output.closes, unused.input.starts], [1, 0, 0, 0]);
  assert.is(stateOf(gateway)?.messages.delivered, 2);
  assert.equal(await live.apply([next]), [{ api: "orders", outcome: "unchanged" }]);
  await gateway.close();
});

test("a changed pipeline takes the next batch; a batch in flight ends in the old one; the output is kept", async () => {
  const input = manualInput();
  const { output, confirms } = heldOutput();
  let closed = 0;
  const first: Processor = {
    ...mark(1),
    async close() {
      closed += 1;
    },
  };
  const { gateway, live } = await liveGateway([
    deployed({ s: () => ({ input, output, pipeline: [first] }) }),
  ]);
  const before = input.deliver("a");
  await until(() => output.texts.length === 1);
  const unused = memoryOutput();
  const outcome = await live.apply([
    deployed({
      s: {
        make: () => ({ input: manualInput(), output: unused, pipeline: [mark(2)] }),
        digests: { pipeline: "2" },
      },
    }),
  ]);
  assert.equal(outcome, [{ api: "orders", outcome: "applied" }]);
  const after = input.deliver("b");
  await until(() => output.texts.length === 2);
  assert.equal(output.texts, ["a-1", "b-2"]);
  assert.is(stateOf(gateway)?.retiring, 1);
  assert.is(closed, 0, "a pipeline with a batch in it is not closed");
  for (const confirm of confirms) confirm();
  await Promise.all([before, after]);
  await until(() => closed === 1);
  await until(() => stateOf(gateway)?.retiring === undefined);
  assert.equal([output.closes, unused.batches.length, input.starts], [0, 0, 1]);
  assert.is(stateOf(gateway)?.messages.delivered, 2, "counters go on");
  await gateway.close();
  assert.is(output.closes > 0, true);
});

test("a changed output starts before it takes over, and the previous one closes when nothing is in flight", async () => {
  const input = manualInput();
  const { output, confirms } = heldOutput();
  const { gateway, live } = await liveGateway([deployed({ s: () => ({ input, output }) })]);
  const before = input.deliver("a");
  await until(() => output.texts.length === 1);
  const connected = Promise.withResolvers<void>();
  const next = { ...memoryOutput(), start: () => connected.promise };
  const applying = live.apply([
    deployed({ s: { make: () => ({ input: manualInput(), output: next }), digests: { output: "2" } } }),
  ]);
  const meanwhile = input.deliver("b");
  await until(() => output.texts.length === 2);
  connected.resolve();
  assert.equal(await applying, [{ api: "orders", outcome: "applied" }]);
  await input.deliver("c");
  assert.equal([output.texts, next.batches.flat().map(textOf)], [["a", "b"], ["c"]]);
  assert.is(output.closes, 0);
  for (const confirm of confirms) confirm();
  await Promise.all([before, meanwhile]);
  await until(() => output.closes === 1);
  await gateway.close();
});

test("an output that does not start changes nothing, and is closed", async () => {
  const [input, output] = [manualInput(), memoryOutput()];
  const { gateway, live } = await liveGateway([
    deployed({ s: () => ({ input, output, pipeline: [mark(1)] }) }),
  ]);
  let closes = 0;
  const away = {
    ...memoryOutput(),
    async start() {
      throw new GatewayError(503, "Broker is away");
    },
    async close() {
      closes += 1;
    },
  };
  const outcome = await live.apply([
    deployed({ s: { make: () => ({ input: manualInput(), output: away }), digests: { output: "2" } } }),
  ]);
  assert.equal(outcome, [{ api: "orders", outcome: "rolled back", reason: "Broker is away" }]);
  await input.deliver("a");
  assert.equal([output.texts, input.starts, output.closes], [["a-1"], 1, 0]);
  assert.ok(closes > 0);
  assert.is(stateOf(gateway)?.status, "running");
  await gateway.close();
});

test("an output that takes too long to start changes nothing", async () => {
  const [input, output] = [manualInput(), memoryOutput()];
  const { gateway, live } = await liveGateway([deployed({ s: () => ({ input, output }) })], {
    startTimeout: 20,
  });
  let closes = 0;
  const hanging = {
    ...memoryOutput(),
    start: () => new Promise<void>(() => undefined),
    async close() {
      closes += 1;
    },
  };
  const [outcome] = await live.apply([
    deployed({ s: { make: () => ({ input: manualInput(), output: hanging }), digests: { output: "2" } } }),
  ]);
  assert.is(outcome?.reason, "Its output did not start within 0.02 s");
  await input.deliver("a");
  assert.equal(output.texts, ["a"]);
  await until(() => closes > 0);
  await gateway.close();
});

test("if one stream of an API cannot change, the others are rolled back", async () => {
  const inputs = { one: manualInput(), two: manualInput() };
  const outputs = { one: memoryOutput(), two: memoryOutput() };
  const { gateway, live } = await liveGateway([
    deployed({
      one: () => ({ input: inputs.one, output: outputs.one, pipeline: [mark(1)] }),
      two: () => ({ input: inputs.two, output: outputs.two, pipeline: [mark(1)] }),
    }),
  ]);
  const broken = manualInput(() => {
    throw new GatewayError(503, "Broker is away");
  });
  const [outcome] = await live.apply([
    deployed({
      one: {
        make: () => ({ input: manualInput(), output: memoryOutput(), pipeline: [mark(2)] }),
        digests: { pipeline: "2" },
      },
      two: { make: () => ({ input: broken, output: memoryOutput() }), digests: { input: "2" } },
    }),
  ]);
  assert.equal(outcome, { api: "orders", outcome: "rolled back", reason: "Broker is away" });
  await inputs.one.deliver("a");
  await until(() => inputs.two.starts === 2);
  await inputs.two.deliver("b");
  assert.equal([outputs.one.texts, outputs.two.texts], [["a-1"], ["b-1"]]);
  await gateway.close();
});

test("with threads, batches of both versions keep their order", async () => {
  const input = manualInput();
  const output = memoryOutput();
  const first = Promise.withResolvers<void>();
  const slow: Processor = {
    async process(batch) {
      await first.promise;
      return [batch];
    },
  };
  const { gateway, live } = await liveGateway([
    deployed({ s: () => ({ input, output, pipeline: [slow], threads: 1 }) }),
  ]);
  const deliveries = [input.deliver("a"), input.deliver("b")];
  await until(() => stateOf(gateway)?.messages.inFlight === 2);
  await live.apply([
    deployed({
      s: {
        make: () => ({ input: manualInput(), output: memoryOutput(), pipeline: [mark(2)], threads: 1 }),
        digests: { pipeline: "2" },
      },
    }),
  ]);
  deliveries.push(input.deliver("c"));
  await until(() => stateOf(gateway)?.messages.inFlight === 3);
  first.resolve();
  await Promise.all(deliveries);
  assert.equal(output.texts, ["a", "b", "c-2"]);
  await gateway.close();
});

test("an incomplete batch is flushed when its version is replaced", async () => {
  const [input, output] = [manualInput(), memoryOutput()];
  const { gateway, live } = await liveGateway([
    deployed({ s: () => ({ input, output: outputWithBatching(output, { count: 10 }) }) }),
  ]);
  const waiting = input.deliver("a");
  await until(() => stateOf(gateway)?.messages.inFlight === 1);
  const next = memoryOutput();
  await live.apply([
    deployed({ s: { make: () => ({ input: manualInput(), output: next }), digests: { output: "2" } } }),
  ]);
  await waiting;
  assert.equal(output.texts, ["a"]);
  await gateway.close();
});

test("resources with equal digests share their state; others start empty", async () => {
  const input = manualInput();
  const caches: SyncCache[] = [];
  const limits: ReturnType<typeof localRateLimit>[] = [];
  const make = () => {
    const cache = memoryCache({});
    const limit = localRateLimit({ count: 1, interval: 3_600_000 });
    caches.push(cache);
    limits.push(limit);
    return sharing([cache, limit], () => ({ input, output: memoryOutput(), pipeline: [] }));
  };
  const { gateway, live } = await liveGateway([deployed({ s: make })]);
  await until(() => stateOf(gateway)?.status === "running");
  caches[0]?.set("a", Buffer.from("1"));
  assert.is(limits[0]?.take(1), 0);
  await live.apply([deployed({ s: { make, digests: { pipeline: "2" } } })]);
  assert.is(String(caches[1]?.get("a")), "1");
  caches[1]?.set("b", Buffer.from("2"));
  assert.is(String(caches[0]?.get("b")), "2", "what the version before writes while it ends is seen by both");
  assert.ok(Number(limits[1]?.take(1)) > 0);
  await live.apply([deployed({ s: { make, digests: { pipeline: "3", resources: "3" } } })]);
  assert.is(caches[2]?.get("a"), undefined);
  assert.is(limits[2]?.take(1), 0);
  await gateway.close();
});

test("resources are closed when nothing uses them any more", async () => {
  const input = manualInput();
  const { output, confirms } = heldOutput();
  const closed: number[] = [];
  const make = (version: number) => () =>
    sharing(
      [
        {
          async close() {
            closed.push(version);
          },
        },
      ],
      () => ({ input, output, pipeline: [mark(version)] }),
    );
  const { gateway, live } = await liveGateway([deployed({ s: make(1) })]);
  const delivery = input.deliver("a");
  await until(() => output.texts.length === 1);
  await live.apply([deployed({ s: { make: make(2), digests: { pipeline: "2" } } })]);
  await live.apply([deployed({ s: { make: make(3), digests: { pipeline: "3" } } })]);
  await until(() => closed.includes(2));
  assert.equal(closed, [2], "the input and the output of the first are still in use");
  for (const confirm of confirms) confirm();
  await delivery;
  await gateway.close();
  assert.equal(closed.toSorted(), [1, 2, 3]);
});

test("a stream that closes during a change leaves nothing open", async () => {
  const [input, output] = [manualInput(), memoryOutput()];
  const { gateway, live } = await liveGateway([deployed({ s: () => ({ input, output }) })]);
  let closes = 0;
  const hanging = {
    ...memoryOutput(),
    start: () => new Promise<void>(() => undefined),
    async close() {
      closes += 1;
    },
  };
  const applying = live.apply([
    deployed({ s: { make: () => ({ input: manualInput(), output: hanging }), digests: { output: "2" } } }),
  ]);
  await until(() => stateOf(gateway)?.status === "running");
  const closing = gateway.close();
  assert.equal(await applying, [{ api: "orders", outcome: "rolled back", reason: "The gateway is closing" }]);
  await closing;
  assert.ok(closes > 0);
  assert.ok(output.closes > 0);
});

test.run();
