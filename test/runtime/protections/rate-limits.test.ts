import { test } from "uvu";
import * as assert from "uvu/assert";
import { WebSocket } from "ws";
import type { KeySession } from "../../../runtime/keys/session.ts";
import { rateLimits } from "../../../runtime/protections/rate-limits.ts";
import { startGuarded } from "./guarded.ts";
import { callers, sessionOf } from "./sessions.ts";

/** Seconds; so long that no allowance is renewed while a test runs. */
const day = 86_400;

function post(url: string, caller?: string, body = "a"): Promise<Response> {
  return fetch(url, { method: "POST", body, headers: caller === undefined ? {} : { "x-caller": caller } });
}

async function statuses(url: string, count: number, caller?: string): Promise<readonly number[]> {
  const all: number[] = [];
  for (let each = 0; each < count; each += 1) all.push((await post(url, caller)).status);
  return all;
}

async function behind(
  sessions: Readonly<Record<string, KeySession>>,
  options: Parameters<typeof rateLimits>[0] = {},
) {
  return startGuarded([callers(sessions), rateLimits(options)]);
}

test("an API has one rate limit for all clients together", async () => {
  const gateway = await startGuarded([
    rateLimits({ rateLimit: { enabled: true, rate: 2, per: day * 1000 } }),
  ]);
  const first = await post(gateway.url);
  assert.is(first.headers.get("ratelimit-policy"), `"api";q=2;w=${day}`);
  assert.is(first.headers.get("ratelimit"), `"api";r=1;t=${day / 2}`);
  assert.is((await post(gateway.url)).status, 200);
  const refused = await post(gateway.url);
  assert.is(refused.status, 429);
  assert.equal(await refused.json(), { error: "API Rate Limit Exceeded" });
  assert.match(refused.headers.get("ratelimit") ?? "", /^"api";r=0;t=864\d\d$/);
  const wait = Number(refused.headers.get("retry-after"));
  assert.ok(wait > day / 2 - 60 && wait <= day / 2, `${wait}`);
  assert.equal(gateway.received, ["a", "a"]);
  await gateway.close();
});

test("a key has a rate and a quota of its own", async () => {
  const limits = { rate: { rate: 3, per: day }, quota: { max: 2, renewal: day } };
  const gateway = await behind({
    quota: sessionOf({ id: "1", limits }),
    rate: sessionOf({ id: "2", limits: { ...limits, quota: { max: 9, renewal: 0 } } }),
    free: sessionOf({ id: "3", limits: { rate: { rate: 0, per: 1 }, quota: { max: -1, renewal: day } } }),
  });
  const first = await post(gateway.url, "quota");
  assert.is(first.headers.get("ratelimit-policy"), `"key";q=3;w=${day}, "quota";q=2;w=${day}`);
  assert.is(first.headers.get("ratelimit"), `"key";r=2;t=${day / 3}, "quota";r=1;t=${day}`);
  assert.is((await post(gateway.url, "quota")).status, 200);
  const refused = await post(gateway.url, "quota");
  assert.is(refused.status, 403);
  assert.equal(await refused.json(), { error: "Quota exceeded" });
  assert.ok(Number(refused.headers.get("retry-after")) > day - 60);

  assert.equal(await statuses(gateway.url, 4, "rate"), [200, 200, 200, 429]);
  assert.equal(await (await post(gateway.url, "rate")).json(), { error: "Rate Limit Exceeded" });
  const free = await post(gateway.url, "free");
  assert.is(free.status, 200);
  assert.is(free.headers.get("ratelimit"), null);
  assert.is(gateway.received.length, 6);
  await gateway.close();
});

test("the limits closest to the endpoint apply", async () => {
  const endpoint = (verb: string, path: string, rate: number) => ({
    verb,
    path,
    name: `${verb} ${path}`,
    limits: { rate: { rate, per: day } },
  });
  const endpoints = [endpoint("POST", "/new", 1), endpoint("GET", "/new", 9)];
  const limits = { rate: { rate: 5, per: day } };
  const own = { rate: { rate: 2, per: day } };
  const gateway = await behind({
    session: sessionOf({ id: "1", limits }),
    other: sessionOf({ id: "2", limits, rights: new Map([["another", { limits: own }]]) }),
    api: sessionOf({ id: "3", limits, rights: new Map([["orders", { limits: own }]]) }),
    endpoint: sessionOf({ id: "4", limits, rights: new Map([["orders", { limits: own, endpoints }]]) }),
    noQuota: sessionOf({
      id: "5",
      limits: { quota: { max: 1, renewal: day } },
      rights: new Map([["orders", { limits: own }]]),
    }),
  });
  assert.equal(await statuses(gateway.url, 6, "session"), [200, 200, 200, 200, 200, 429]);
  assert.equal(await statuses(gateway.url, 6, "other"), [200, 200, 200, 200, 200, 429]);
  assert.equal(await statuses(gateway.url, 3, "api"), [200, 200, 429]);
  assert.equal(await statuses(gateway.url, 2, "endpoint"), [200, 429]);
  assert.equal(await statuses(gateway.url, 2, "noQuota"), [200, 403], "a quota without an API's own");
  await gateway.close();
});

test("an endpoint is counted under every spelling of its path", async () => {
  const limited = { verb: "POST", path: "/new", name: "POST /new", limits: { rate: { rate: 1, per: day } } };
  const rights = new Map([["orders", { endpoints: [limited] }]]);
  const gateway = await behind({ ann: sessionOf({ id: "1", rights }) });
  assert.is((await post(gateway.url, "ann")).status, 200);
  const spellings = [
    "%6eew",
    "n%65w",
    "%256eew",
    "new/",
    "/new",
    "NEW",
    "new;a=1",
    "new%2f",
    "new.json",
    "new%20",
  ];
  for (const spelling of spellings) {
    const url = gateway.url.replace(/new$/, spelling);
    assert.is((await post(url, "ann")).status, 429, spelling);
  }
  assert.is((await post(gateway.url.replace(/new$/, "other"), "ann")).status, 404);
  await gateway.close();
});

test("rights of one scope share counters, sessions do not", async () => {
  const limits = { rate: { rate: 1, per: day } };
  const right = (scope?: string) => new Map([["orders", { limits, ...(scope && { scope }) }]]);
  const gateway = await behind({
    // The same key, looked up again after a change.
    before: sessionOf({ id: "1", rights: right("shared") }),
    after: sessionOf({ id: "1", rights: right("shared") }),
    named: sessionOf({ id: "1", rights: right("other") }),
    another: sessionOf({ id: "2", rights: right("shared") }),
  });
  assert.equal(await statuses(gateway.url, 1, "before"), [200]);
  assert.equal(await statuses(gateway.url, 1, "after"), [429]);
  assert.equal(await statuses(gateway.url, 1, "named"), [200]);
  assert.equal(await statuses(gateway.url, 1, "another"), [200]);
  await gateway.close();
});

test("an API may disable rates or quotas", async () => {
  const limits = { rate: { rate: 1, per: day }, quota: { max: 2, renewal: day } };
  const rateLimit = { enabled: true, rate: 1, per: day * 1000 };
  const rows: readonly [Parameters<typeof rateLimits>[0], readonly number[]][] = [
    [{ rateLimit, skipRateLimit: true }, [200, 200, 403]],
    [{ skipQuota: true }, [200, 429, 429]],
    [{ rateLimit, skipRateLimit: true, skipQuota: true }, [200, 200, 200]],
    [{ rateLimit: { ...rateLimit, enabled: false }, skipQuota: true }, [200, 429, 429]],
  ];
  for (const [options, expected] of rows) {
    const gateway = await behind({ me: sessionOf({ limits }) }, options);
    assert.equal(await statuses(gateway.url, 3, "me"), expected, JSON.stringify(options));
    await gateway.close();
  }
});

test("an upgrade over a limit is rejected before the socket opens", async () => {
  const gateway = await behind({ me: sessionOf({ limits: { quota: { max: 0, renewal: 0 } } }) });
  const socket = new WebSocket(gateway.url.replace("http", "ws"), { headers: { "x-caller": "me" } });
  const [status, limit] = await new Promise<[number | undefined, unknown]>((resolve) => {
    socket.once("unexpected-response", (_, response) =>
      resolve([response.statusCode, response.headers.ratelimit]),
    );
  });
  assert.is(status, 403);
  assert.is(limit, '"quota";r=0;t=0');
  await gateway.close();
});

test("APIs of a gateway share a session's counters, gateways do not", async () => {
  const sessions = { me: sessionOf({ limits: { rate: { rate: 1, per: day } } }) };
  const [first, second] = [await behind(sessions), await behind(sessions)];
  assert.equal(await statuses(first.url, 2, "me"), [200, 429]);
  assert.equal(await statuses(second.url, 2, "me"), [200, 429]);
  await first.close();
  await second.close();
});

test.run();
