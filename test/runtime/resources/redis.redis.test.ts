import { Redis } from "ioredis";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { GatewayError } from "../../../runtime/errors.ts";
import { redisCache } from "../../../runtime/resources/redis-cache.ts";
import { redisRateLimit } from "../../../runtime/resources/redis-rate-limit.ts";
import { startRedis } from "../../harness/brokers/redis.ts";
import { redis } from "../../harness/brokers.ts";
import { temporaryDirectory } from "../../harness/directories.ts";
import { unique } from "../../harness/names.ts";
import { until } from "../../harness/wait.ts";
import { componentContext, outagesInto } from "../connectors/contexts.ts";

const broker = await redis();
const client = new Redis(broker.address);
const bytes = (text: string) => Buffer.from(text);
const textOf = (value: Uint8Array | undefined) => value && Buffer.from(value).toString();
const retries = { initial_interval: 5, max_interval: 20, max_elapsed_time: 5_000 };

async function failureOf(asked: unknown): Promise<GatewayError> {
  try {
    await asked;
  } catch (error) {
    assert.instance(error, GatewayError);
    return error as GatewayError;
  }
  throw new Error("it succeeded");
}

test("values are written under the prefix, added only once, and deleted", async () => {
  const prefix = `${unique("cache")}:`;
  const cache = redisCache({ url: broker.address, prefix });
  await cache.start?.(componentContext());
  assert.is(await cache.get("a"), undefined);
  assert.is(await cache.add("a", bytes("1")), true);
  assert.is(await cache.add("a", bytes("2")), false);
  assert.is(textOf(await cache.get("a")), "1");
  await cache.set("a", Buffer.from([0, 255, 128]));
  assert.equal([...((await cache.get("a")) ?? [])], [0, 255, 128]);
  assert.is(await client.pttl(`${prefix}a`), -1);
  await cache.delete("a");
  assert.is(await client.exists(`${prefix}a`), 0);
  await cache.close?.();
  await cache.close?.();
});

test("values have the ttl of the cache, or one of their own", async () => {
  const prefix = `${unique("cache")}:`;
  const cache = redisCache({ url: broker.address, prefix, default_ttl: 60_000 });
  await cache.start?.(componentContext());
  await cache.set("usual", bytes("1"));
  await cache.set("own", bytes("1"), 5_000_000);
  await cache.add("added", bytes("1"), 0.2);
  const left = async (key: string) => client.pttl(prefix + key);
  assert.ok((await left("usual")) > 50_000 && (await left("usual")) <= 60_000);
  assert.ok((await left("own")) > 4_000_000);
  await until(async () => (await left("added")) === -2, { what: "the end of a value" });
  await cache.close?.();
});

test("database number and password in the URL are used, and tcp is accepted as a scheme", async () => {
  const guarded = await startRedis({ configuration: ["--requirepass", "secret"] });
  const { port } = new URL(guarded.address);
  const cache = redisCache({ url: `tcp://:secret@127.0.0.1:${port}/3` });
  await cache.start?.(componentContext());
  await cache.set("a", bytes("1"));
  const other = new Redis({ port: Number(port), password: "secret", db: 3 });
  assert.is(await other.get("a"), "1");
  await other.quit();
  await cache.close?.();
  const refused = redisCache({ url: `redis://:wrong@127.0.0.1:${port}` });
  const failure = await failureOf(refused.start?.(componentContext()));
  assert.is(failure.status, 502);
  assert.not.match(failure.message, /wrong/);
  await refused.close?.();
  await guarded.stop();
});

test("a failed start can be retried", async () => {
  const directory = temporaryDirectory("redis");
  const first = await startRedis({ directory });
  await first.stop();
  const cache = redisCache({ url: first.address, retries });
  assert.is((await failureOf(cache.start?.(componentContext()))).status, 502);
  const second = await startRedis({ directory, port: Number(new URL(first.address).port) });
  await cache.start?.(componentContext());
  await cache.set("a", bytes("1"));
  assert.is(textOf(await cache.get("a")), "1");
  await cache.close?.();
  await second.stop();
});

test("operations during a restart of Redis complete afterwards, or fail after the timeout", async () => {
  const directory = temporaryDirectory("redis");
  const first = await startRedis({ directory });
  const reports: (string | undefined)[] = [];
  const context = { ...componentContext(), beginOutage: outagesInto(reports) };
  const patient = redisCache({ url: first.address, retries: { ...retries, max_elapsed_time: 60_000 } });
  const hasty = redisCache({ url: first.address, retries: { ...retries, max_elapsed_time: 0 } });
  await patient.start?.(context);
  await hasty.start?.(componentContext());
  await patient.set("a", bytes("1"));
  await first.stop();
  await until(() => reports.length === 1, { what: "the report of a lost connection" });
  assert.is((await failureOf(hasty.get("a"))).status, 502);
  const asked = [patient.get("a"), patient.add("b", bytes("2"))];
  const second = await startRedis({ directory, port: Number(new URL(first.address).port) });
  const [found, isNew] = await Promise.all(asked);
  assert.is(textOf(found as Uint8Array), "1");
  assert.is(isNew, true);
  assert.is(reports.at(-1), undefined);
  await Promise.all([patient.close?.(), hasty.close?.()]);
  await second.stop();
});

test("closing aborts operations that are retried", async () => {
  const lone = await startRedis();
  const cache = redisCache({ url: lone.address, retries: { ...retries, max_elapsed_time: 600_000 } });
  await cache.start?.(componentContext());
  await lone.stop();
  const asked = failureOf(cache.get("a"));
  await cache.close?.();
  assert.ok((await asked).status >= 502);
});

test("two limits with the same key count together, and the interval restarts", async () => {
  const key = unique("limit");
  const options = { url: broker.address, key, count: 2, interval: 60_000 };
  const [first, second] = [redisRateLimit(options), redisRateLimit(options)];
  await Promise.all([first.start?.(componentContext()), second.start?.(componentContext())]);
  assert.is(await first.take(1), 0);
  assert.is(await second.take(1), 0);
  for (const limit of [first, second]) {
    const wait = await limit.take(1);
    assert.ok(wait > 50_000 && wait <= 60_000, String(wait));
  }
  assert.is(await client.get(key), "2", "what was refused is not counted");
  await client.del(key);
  assert.is(await first.take(1), 0);
  // Another client left the key without an expiry.
  await client.set(key, "7");
  assert.is(await second.take(1), 60_000);
  assert.ok((await client.pttl(key)) > 0);
  await Promise.all([first.close?.(), second.close?.()]);
});

test("concurrent callers never take more than the limit", async () => {
  const options = { url: broker.address, key: unique("limit"), count: 10, interval: 60_000 };
  const limits = [redisRateLimit(options), redisRateLimit(options)];
  await Promise.all(limits.map((limit) => limit.start?.(componentContext())));
  const asked = Array.from({ length: 40 }, (_, index) => limits[index % 2]?.take(1));
  const waits = await Promise.all(asked);
  assert.is(waits.filter((wait) => wait === 0).length, 10);
  await Promise.all(limits.map((limit) => limit.close?.()));
});

test.after(async () => {
  await client.quit();
  await broker.stop();
});

test.run();
