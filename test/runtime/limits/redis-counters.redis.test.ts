import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { GatewayScope } from "../../../runtime/component/gateway-scope.ts";
import type { Claim, Counters, CountersContext, Occupancy } from "../../../runtime/counters.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { createMemoryCounters } from "../../../runtime/limits/memory-counters.ts";
import { openRedisCounters, type RedisCountersOptions } from "../../../runtime/limits/redis-counters.ts";
import { redis } from "../../harness/brokers.ts";
import { unique } from "../../harness/names.ts";
import { startTcpProxy } from "../../harness/tcp-proxy.ts";
import { until } from "../../harness/wait.ts";
import { componentContext } from "../connectors/contexts.ts";
import { createExactCounters } from "./exact-counters.ts";

const test = suite("redis: counters");
const broker = await redis();
const second = 1_000_000;
const day = 86_400 * second;

function open(options: Partial<RedisCountersOptions> = {}): Promise<Counters> {
  const { log, signal } = componentContext();
  const context: CountersContext = { log, signal, gateway: new GatewayScope() };
  const settings = { url: broker.address, prefix: `${unique("limits")}:`, timeout: 60_000 };
  return openRedisCounters({ ...settings, whenAway: "refuse", ...options }, createMemoryCounters(), context);
}

const rate = (key: string, rate: number, per = day): Claim => ({ kind: "rate", key, rate, per });
const quota = (key: string, max: number, renewal: number): Claim => ({ kind: "quota", key, max, renewal });

test("counts equal those of a model that remembers every request", async () => {
  // Periods that do not end while the test runs: counters expire by the clock of Redis.
  const claim = fc.oneof(
    fc.record({
      kind: fc.constant("rate" as const),
      rate: fc.integer({ min: 1, max: 7 }),
      per: fc.integer({ min: 100 * second, max: 500 * second }),
    }),
    fc.record({
      kind: fc.constant("quota" as const),
      max: fc.integer({ min: 0, max: 7 }),
      renewal: fc.oneof(fc.constant(0), fc.integer({ min: 100 * second, max: 500 * second })),
    }),
  );
  const steps = fc.array(
    fc.record({
      pause: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 100 * second })),
      picks: fc.uniqueArray(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 3 }),
    }),
    { maxLength: 40 },
  );
  // As large as the time of Redis itself, which numbers must represent exactly.
  let time = 1_790_000_000 * second;
  const counters = await open({ clock: () => time });
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(claim, { minLength: 3, maxLength: 3 }), steps, async (kinds, requests) => {
      run += 1;
      const claims = kinds.map((kind, index): Claim => ({ ...kind, key: `${run} ${index}` }));
      const exact = createExactCounters();
      const memory = createMemoryCounters({ clock: () => time });
      for (const { pause, picks } of requests) {
        time += pause;
        const asked = picks.flatMap((pick) => claims[pick] ?? []);
        const verdict = await counters.take(asked);
        assert.is(verdict.refusedBy === -1, exact.take(asked, time));
        assert.equal(verdict, await memory.take(asked));
      }
    }),
    { numRuns: 40, seed: 6 },
  );
  await counters.close?.();
});

test("gateways with one prefix count together, by the clock of Redis", async () => {
  const prefix = `${unique("limits")}:`;
  const [first, other, apart] = [await open({ prefix }), await open({ prefix }), await open()];
  const claims = [rate("a", 3), quota("b", 5, day)];
  const all = await Promise.all([first, other, first, other].map((each) => each.take(claims)));
  assert.equal(all.map(({ refusedBy }) => refusedBy).toSorted(), [-1, -1, -1, 0]);
  const verdict = await other.take([quota("b", 5, day)]);
  assert.is(verdict.standings[0]?.remaining, 1, "the refused one was counted nowhere");
  assert.ok((verdict.standings[0]?.reset ?? 0) <= day);
  assert.is((await apart.take(claims)).refusedBy, -1);
  for (const each of [first, other, apart]) await each.close?.();
});

test("counters expire once they have no effect", async () => {
  const prefix = `${unique("limits")}:`;
  const counters = await open({ prefix });
  await counters.take([rate("rate", 10, 100 * second), quota("quota", 9, 60 * second), quota("ever", 9, 0)]);
  const { Redis } = await import("ioredis");
  const client = new Redis(broker.address);
  const left = await Promise.all(["rate", "quota", "ever"].map((key) => client.pttl(prefix + key)));
  const [ofRate = 0, ofQuota = 0, ofEver] = left;
  assert.ok(ofRate > 0 && ofRate <= 10_001, `${ofRate}`);
  assert.ok(ofQuota > 50_000 && ofQuota <= 60_001, `${ofQuota}`);
  assert.is(ofEver, -1);
  await client.quit();
  await counters.close?.();
});

function leave(entered: Occupancy | number | undefined): void {
  if (typeof entered === "object") entered.leave();
}

test("connections are counted together, and those of a vanished gateway are released", async () => {
  const prefix = `${unique("limits")}:`;
  let time = 1_790_000_000 * second;
  const clock = () => time;
  const [first, other] = [await open({ prefix, clock }), await open({ prefix, clock })];
  const seats = [
    { key: "all", max: 2 },
    { key: "mine", max: 9 },
  ];
  const [one, two] = [await first.enter(seats), await other.enter(seats)];
  assert.type(one, "object");
  assert.type(two, "object");
  assert.is(await first.enter(seats), 0);
  assert.is(await other.enter(seats), 0);
  leave(two);
  const three = await until(async () => {
    const entered = await other.enter(seats);
    return typeof entered === "object" ? entered : undefined;
  });
  assert.is(await other.enter(seats), 0);
  // The first instance does not renew its open connections.
  time += 61 * second;
  const four = await other.enter(seats);
  assert.type(four, "object");
  for (const each of [one, three, four]) leave(each);
  for (const each of [first, other]) await each.close?.();
});

async function behindProxy(whenAway: "memory" | "refuse") {
  const proxy = await startTcpProxy(Number(new URL(broker.address).port));
  const counters = await open({ url: `redis://127.0.0.1:${proxy.port}`, whenAway, timeout: 2_000 });
  return { proxy, counters };
}

/** Returns the state of Redis as the metrics report it. */
function isUp(counters: Counters): number | undefined {
  return counters.metrics?.().find(({ name }) => name === "sluice_redis_up")?.series[0]?.value;
}

test("while Redis is unavailable memory continues the counts, and Redis does so when it is back", async () => {
  const { proxy, counters } = await behindProxy("memory");
  const claims = [rate("a", 5)];
  for (let each = 0; each < 3; each += 1) assert.is((await counters.take(claims)).refusedBy, -1);
  assert.is(counters.trouble, undefined);
  assert.is(isUp(counters), 1);
  const before = await counters.enter([{ key: "open", max: 2 }]);
  proxy.hold();
  const during = await counters.enter([{ key: "open", max: 2 }]);
  assert.type(during, "object");
  assert.is(await counters.enter([{ key: "open", max: 2 }]), 0);
  assert.equal(counters.trouble, {
    text: "Redis is unavailable: limits are counted in memory",
    isRefusing: false,
  });
  assert.is(isUp(counters), 0);
  assert.is((await counters.take(claims)).refusedBy, -1);
  assert.is((await counters.take(claims)).refusedBy, -1);
  assert.is((await counters.take(claims)).refusedBy, 0, "two of five were left");
  proxy.release();
  await until(() => counters.trouble === undefined);
  assert.is(isUp(counters), 1);
  assert.is((await counters.take(claims)).refusedBy, -1, "Redis knows of three");
  // Redis has learned what was opened in the meantime.
  leave(before);
  leave(during);
  const again = await until(async () => {
    const entered = await counters.enter([{ key: "open", max: 1 }]);
    return typeof entered === "object" ? entered : undefined;
  });
  leave(again);
  await counters.close?.();
  await proxy.close();
});

test("an unavailable Redis is reported without a request to count", async () => {
  const { proxy, counters } = await behindProxy("memory");
  assert.is(isUp(counters), 1);
  const { port } = proxy;
  await proxy.close();
  await until(() => isUp(counters) === 0, { what: "the end of the connection" });
  assert.equal(counters.trouble, {
    text: "Redis is unavailable: limits are counted in memory",
    isRefusing: false,
  });
  const again = await startTcpProxy(Number(new URL(broker.address).port), port);
  await until(() => isUp(counters) === 1, { what: "another connection" });
  await counters.close?.();
  await again.close();
});

test("a silently broken connection is replaced", async () => {
  const { proxy, counters } = await behindProxy("memory");
  proxy.freeze();
  assert.is((await counters.take([rate("a", 5)])).refusedBy, -1);
  assert.ok(counters.trouble);
  await until(() => counters.trouble === undefined, { what: "another connection" });
  assert.is(isUp(counters), 1);
  await counters.close?.();
  await proxy.close();
});

test("while Redis is unavailable requests are rejected if configured", async () => {
  const { proxy, counters } = await behindProxy("refuse");
  await counters.take([rate("a", 5)]);
  proxy.hold();
  for (const asked of [counters.take([rate("a", 5)]), counters.enter([{ key: "open", max: 2 }])]) {
    const error = await Promise.resolve(asked).catch((failure: unknown) => failure);
    assert.ok(error instanceof GatewayError && error.status === 503);
  }
  assert.ok(counters.trouble?.isRefusing);
  proxy.release();
  await until(() => counters.trouble === undefined);
  assert.is((await counters.take([rate("a", 5)])).refusedBy, -1);
  await counters.close?.();
  await proxy.close();
});

test("a Redis that was unavailable at the start is used once it is available", async () => {
  const proxy = await startTcpProxy(Number(new URL(broker.address).port));
  proxy.hold();
  const counters = await open({ url: `redis://127.0.0.1:${proxy.port}`, whenAway: "memory", timeout: 2_000 });
  assert.ok(counters.trouble);
  assert.is((await counters.take([rate("a", 1)])).refusedBy, -1);
  proxy.release();
  await until(() => counters.trouble === undefined);
  await counters.close?.();
  await proxy.close();
});

test.after(() => broker.stop());
test.run();
