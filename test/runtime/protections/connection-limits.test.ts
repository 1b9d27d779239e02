import { test } from "uvu";
import * as assert from "uvu/assert";
import { httpServerInput } from "../../../runtime/connectors/http-server/input.ts";
import { httpServerOutput } from "../../../runtime/connectors/http-server/output.ts";
import type { Protection } from "../../../runtime/protection.ts";
import { connectionLimit } from "../../../runtime/protections/connection-limits.ts";
import { type SseClient, sse } from "../../harness/sse-client.ts";
import { until } from "../../harness/wait.ts";
import { socket, UpgradeRefused } from "../../harness/websocket-client.ts";
import { manualInput, memoryOutput } from "../gateway/components.ts";
import { ordersApi, startGateway } from "../gateway/start-gateway.ts";
import { callers, sessionOf } from "./sessions.ts";

async function serving(protections: readonly Protection[]) {
  const held = Promise.withResolvers<Record<never, never>>();
  const output = memoryOutput(() => held.promise);
  const api = ordersApi({
    out: () => ({
      input: manualInput(),
      output: httpServerOutput({ stream_path: "/events", ws_path: "/socket" }),
    }),
    in: () => ({ input: httpServerInput({ path: "/new" }), output }),
  });
  const gateway = await startGateway([{ ...api, protections: () => protections }]);
  const url = `${gateway.url}/orders`;
  const events = (name = ""): Promise<SseClient> => sse(`${url}/events`, { headers: { "x-caller": name } });
  return { ...gateway, url, events, output, release: () => held.resolve({}) };
}

const isRefused = (error: unknown) => /: 429 .*Too many connections/.test(String(error));

async function refused(opening: Promise<unknown>): Promise<void> {
  await opening.then(
    () => assert.unreachable("one more than may be"),
    (error) => assert.ok(isRefused(error), String(error)),
  );
}

test("sockets, event streams and waiting requests count together, until they end", async () => {
  const gateway = await serving([connectionLimit({ enabled: true, max: 3 })]);
  const events = await gateway.events();
  const client = await socket(`${gateway.url}/socket`);
  const answered = fetch(`${gateway.url}/new`, { method: "POST", body: "a" });
  await until(() => gateway.output.texts.length === 1);
  await refused(gateway.events());
  const refusal = await socket(`${gateway.url}/socket`).catch((error: unknown) => error);
  assert.ok(refusal instanceof UpgradeRefused && refusal.status === 429);
  const post = await fetch(`${gateway.url}/new`, { method: "POST", body: "b" });
  assert.is(post.status, 429);
  assert.is(post.headers.get("retry-after"), "1");
  assert.equal(gateway.output.texts, ["a"], "nothing refused reached the stream");

  gateway.release();
  assert.is((await answered).status, 200);
  const second = await until(() => gateway.events().catch(() => undefined), {
    what: "the place of the request",
  });
  await client.close();
  const third = await until(() => gateway.events().catch(() => undefined), {
    what: "the place of the socket",
  });
  events.close();
  const fourth = await until(() => gateway.events().catch(() => undefined), {
    what: "the place of the events",
  });
  await refused(gateway.events());
  for (const each of [second, third, fourth]) each.close();
  await gateway.close();
});

test("a key's connections are limited by the key, its right to the API, and the API's maxPerKey", async () => {
  const sessions = {
    none: sessionOf({ id: "0" }),
    one: sessionOf({ id: "1", limits: { connections: 1 } }),
    three: sessionOf({
      id: "2",
      limits: { connections: 1 },
      rights: new Map([["orders", { limits: { connections: 3 } }]]),
    }),
  };
  const rows: readonly [Protection, Readonly<Record<keyof typeof sessions, number>>][] = [
    [connectionLimit({}), { none: 5, one: 1, three: 3 }],
    [connectionLimit({ enabled: false, max: 1, maxPerKey: 1 }), { none: 5, one: 1, three: 3 }],
    [connectionLimit({ enabled: true, maxPerKey: 2 }), { none: 2, one: 1, three: 2 }],
  ];
  for (const [limit, expected] of rows) {
    const gateway = await serving([callers(sessions), limit]);
    const open: SseClient[] = [];
    for (const [name, count] of Object.entries(expected)) {
      for (let each = 0; each < count; each += 1) open.push(await gateway.events(name));
      if (count < 5) await refused(gateway.events(name));
    }
    for (const each of open) each.close();
    await gateway.close();
  }
});

test.run();
