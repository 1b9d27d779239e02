// Open connections end together with the right that allowed them, in every worker and at other gateways with the same store.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { keyedOrders } from "../harness/api-documents.ts";
import type { Broker } from "../harness/brokers/broker.ts";
import { postgres, redis } from "../harness/brokers.ts";
import { temporaryDirectory } from "../harness/directories.ts";
import { type SseClient, sse } from "../harness/sse-client.ts";
import { until, within } from "../harness/wait.ts";
import { type SocketClient, socket } from "../harness/websocket-client.ts";
import { urlOf } from "../management/services.ts";
import { freshDatabase } from "../runtime/store/databases.ts";
import { type BuiltGateway, buildBundle, startBundle } from "./gateway.ts";

/** Connections of each kind at each gateway, spread over its workers in turn. */
const perGateway = 4;
const token = "the-token-of-administrators";
const folder = temporaryDirectory("open-rights");
writeFileSync(
  join(folder, "gateway.yaml"),
  `streaming: { enabled: true }
apis: [orders.yaml]
store: "\${STORE}"
portal: { enabled: true, page: true, organisation: acme }
`,
);
writeFileSync(
  join(folder, "orders.yaml"),
  keyedOrders("{ http_server: { path: /next, stream_path: /events, ws_path: /socket } }"),
);
const bundle = await buildBundle([join(folder, "gateway.yaml")]);

/** A response of the administrators' interface. */
interface Told {
  readonly Message: string;
  readonly RawKey: string;
}

type Ask = (method: string, path: string, body?: object) => Promise<Told>;

function request(url: string, init: RequestInit): Promise<Response> {
  return within(fetch(url, init), { what: `a response from ${url}` });
}

/** Returns a function that sends requests to the portal of a gateway as its administrator. */
function portalOf({ url }: BuiltGateway): Ask {
  return async (method, path, body) => {
    const response = await request(`${url}/api/portal${path}`, {
      method,
      headers: { authorization: token, ...(body !== undefined && { "content-type": "application/json" }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    assert.is(response.status, 200, text);
    return JSON.parse(text) as Told;
  };
}

/** A developer with a key. */
interface Given {
  readonly key: string;
  /** The identifier of the key in paths. */
  readonly id: string;
  readonly developer: string;
  readonly email: string;
  readonly policy: string;
}

const password = "correct horse battery";
let counter = 0;

async function give(ask: Ask): Promise<Given> {
  counter += 1;
  const email = `dev${counter}@example.com`;
  const { Message: developer } = await ask("POST", "/developers", { email });
  await ask("POST", `/developers/password/${developer}`, { password });
  const name = `readers ${counter}`;
  const { Message: policy } = await ask("POST", "/policies", { name, access_rights: { orders: {} } });
  const { RawKey: key } = await ask("POST", `/developers/${developer}/keys`, { apply_policies: [policy] });
  const { keys } = (await ask("GET", `/developers/${developer}`)) as unknown as { keys: object };
  return { key, id: Object.keys(keys)[0] ?? "", developer, email, policy };
}

/** Rotates the key as the developer, on the page of the portal. */
async function rotate({ url }: BuiltGateway, { email, id }: Given): Promise<void> {
  const entered = await request(`${url}/portal/entrance/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ username: email, password }),
  });
  const [cookie = ""] = entered.headers.getSetCookie();
  const headers = { cookie: cookie.split(";", 1)[0] ?? "" };
  const { status } = await request(`${url}/portal/own/keys/${id}/rotate`, { method: "POST", headers });
  assert.is(status, 200);
}

/** Events that end a right: a deleted key, a rotated key, a deleted developer, a deleted policy. */
const ends: Readonly<Record<string, (gateway: BuiltGateway, given: Given) => Promise<unknown>>> = {
  "a deleted key": (gateway, { developer, id }) =>
    portalOf(gateway)("DELETE", `/developers/${developer}/keys/${id}`),
  "a rotated key": rotate,
  "a deleted developer": (gateway, { developer }) => portalOf(gateway)("DELETE", `/developers/${developer}`),
  "a deleted policy": (gateway, { policy }) => portalOf(gateway)("DELETE", `/policies/${policy}`),
};

/** Opens event streams and sockets at every gateway, and waits until each of them receives messages. */
async function openAll(gateways: readonly BuiltGateway[], key: string) {
  const headers = { "X-Api-Key": key };
  const at = gateways.flatMap(({ url }) => Array.from({ length: perGateway }, () => `${url}/orders`));
  const events = await Promise.all(at.map((url) => sse(`${url}/events`, { headers })));
  const sockets = await Promise.all(at.map((url) => socket(`${url}/socket`, { headers })));
  return { events, sockets };
}

async function assertEnded(events: readonly SseClient[], sockets: readonly SocketClient[]): Promise<void> {
  for (const each of events) {
    await within(each.ended, { what: "the end of an event stream" });
    assert.is(each.events.at(-1)?.event, "closed");
  }
  for (const each of sockets) {
    const { code } = await within(each.ended, { what: "the end of a socket" });
    assert.is(code, 1008);
  }
}

const brokers: Broker[] = [];
test.after(async () => void (await Promise.all(brokers.map((broker) => broker.stop()))));

const installations: Readonly<Record<string, () => Promise<readonly BuiltGateway[]>>> = {
  async "one gateway of two workers"() {
    const env = { STORE: `sqlite:${join(folder, "gateway.db")}`, GW_WORKERS: "2" };
    return [await startBundle(bundle, { ...env, GW_PORTAL_ACCESS_TOKENS: token })];
  },
  async "two gateways of two workers"() {
    const [server, shared] = await Promise.all([postgres(), redis()]);
    brokers.push(server, shared);
    const env = {
      STORE: urlOf(await freshDatabase(server)),
      GW_REDIS_URL: shared.address,
      GW_WORKERS: "2",
      GW_PORTAL_ACCESS_TOKENS: token,
    };
    return Promise.all([startBundle(bundle, env), startBundle(bundle, env)]);
  },
};

for (const [title, start] of Object.entries(installations)) {
  test(`open connections of all workers are closed when access ends: ${title}`, async () => {
    const gateways = await start();
    const [changed] = gateways;
    if (changed === undefined) throw new Error("no gateway was started");
    const ask = portalOf(changed);
    const bystander = await openAll(gateways, (await give(ask)).key);
    for (const end of Object.values(ends)) {
      const given = await give(ask);
      const { events, sockets } = await openAll(gateways, given.key);
      await end(changed, given);
      await assertEnded(events, sockets);
    }
    // Connections whose right continues are still open.
    for (const { url } of gateways) {
      const { key } = await give(ask);
      const headers = { "X-Api-Key": key };
      await until(async () => (await fetch(`${url}/orders/new`, { method: "POST", headers, body: "x" })).ok);
    }
    assert.ok(bystander.events.every(({ events }) => events.every(({ event }) => event !== "closed")));
    for (const each of bystander.events) each.close();
    await Promise.all(bystander.sockets.map((each) => each.close()));
    await Promise.all(gateways.map(({ program }) => program.stop()));
  });
}

test.run();
