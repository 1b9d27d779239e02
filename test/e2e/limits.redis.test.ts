import { test } from "uvu";
import * as assert from "uvu/assert";
import { startRedis } from "../harness/brokers/redis.ts";
import { temporaryDirectory } from "../harness/directories.ts";
import { httpServer } from "../harness/http-server.ts";
import { freePort } from "../harness/ports.ts";
import { until } from "../harness/wait.ts";
import type { BuiltGateway } from "./gateway.ts";
import { callTimes, keyNames, startLimited, tally } from "./limited.ts";

const { rate, quota } = keyNames;

interface Readiness {
  readonly status: string;
  readonly notes?: readonly string[];
}

async function readiness(gateway: BuiltGateway): Promise<Readiness> {
  const response = await fetch(`${gateway.adminUrl}/readyz`);
  assert.is(response.status, 200);
  return JSON.parse(await response.text());
}

test("gateways with GW_REDIS_URL share their limits, and serve while Redis is unavailable", async () => {
  const place = { port: await freePort(), directory: temporaryDirectory("redis") };
  let broker = await startRedis(place);
  const backend = await httpServer();
  const env = { GW_REDIS_URL: broker.address };
  const [one, other] = [
    await startLimited(backend.url, env),
    await startLimited(backend.url, { ...env, GW_WORKERS: "2" }),
  ];
  const first = [...(await callTimes(one, 3, rate)), ...(await callTimes(other, 4, rate))];
  assert.equal(tally(first), { 200: 5, 429: 2 });
  assert.equal(tally([...(await callTimes(other, 2, quota)), ...(await callTimes(one, 2, quota))]), {
    200: 3,
    403: 1,
  });
  assert.is((await readiness(one)).notes, undefined);

  await broker.stop();
  assert.equal(tally(await callTimes(one, 5, rate)), { 200: 2, 429: 3 }, "memory knows of the three before");
  assert.equal(await readiness(one), {
    status: "ready",
    notes: ["Redis is unavailable: limits are counted in memory"],
  });

  broker = await startRedis(place);
  await until(async () => (await readiness(one)).notes === undefined, { what: "Redis again" });
  for (const each of [one, other]) assert.is(await each.program.stop(), 0, each.program.output());
  await backend.close();
  await broker.stop();
});

test.run();
