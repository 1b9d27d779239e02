// Data that authorised callers send must not be mistaken for data that the gateway sets.

import { test } from "uvu";
import * as assert from "uvu/assert";
import { answersTo, endWell, refuseAll, request, startVictim } from "./attacked.ts";

const victim = await startVictim();
const keyed = `X-Api-Key: ${victim.key}`;

interface Reached {
  readonly name: string;
  readonly text: string;
  readonly metadata: ReadonlyMap<string, unknown>;
}

/** Returns the message that the stream receives for an accepted request. */
async function messageOf(target: string, headers: readonly string[] = [], body = "x"): Promise<Reached> {
  assert.equal(await answersTo(victim.port, request(target, { headers, body })), [200], target);
  const line = (await victim.reached()).at(-1) ?? "";
  const { metadata, ...reached } = JSON.parse(line.replace("REACHED message ", ""));
  return { ...reached, metadata: new Map(metadata) };
}

test("metadata: query parameters cannot pose as headers, present or absent", async () => {
  const names = ["X-User-Id", "Authorization", "Content-Type", "X-Api-Key", "Host", "Page", "X-Request-Id"];
  const query = names.map((name) => `${name}=posed`).join("&");
  const { metadata } = await messageOf(`/open/new?${query}&x-user-id=own`);
  for (const name of names) assert.is.not(metadata.get(name), "posed", name);
  assert.is(metadata.get("x-user-id"), "own");
});

test("metadata: query parameters and cookies cannot pose as metadata set by the gateway", async () => {
  const names = [
    "http_server_remote_ip",
    "http_server_verb",
    "http_server_request_path",
    "http_server_anything",
  ];
  const query = names.map((name) => `${name}=posed`).join("&");
  const { metadata } = await messageOf(`/open/new?${query}`, [
    `Cookie: ${names.map((name) => `${name}=posed`).join("; ")}`,
  ]);
  for (const name of names) assert.is.not(metadata.get(name), "posed", name);
  assert.is(metadata.get("http_server_remote_ip"), "127.0.0.1");
});

test("metadata: cookies cannot pose as headers", async () => {
  const { metadata } = await messageOf("/open/new", [
    "Cookie: X-User-Id=posed; Authorization=posed; plain=own",
  ]);
  assert.is(metadata.get("X-User-Id"), undefined);
  assert.is(metadata.get("Authorization"), undefined);
  assert.is(metadata.get("plain"), "own");
});

test("metadata: headers with underscores cannot pose as headers with hyphens", async () => {
  const { metadata } = await messageOf("/open/new", ["X_User_Id: posed"]);
  assert.is(metadata.get("X-User-Id"), undefined);
});

test("metadata: credentials are excluded", async () => {
  const { metadata } = await messageOf(`/orders/new?key=${encodeURIComponent(victim.key)}&other=1`);
  assert.not(JSON.stringify([...metadata]).includes(victim.key));
  assert.is(metadata.get("other"), "1");
  const sent = await messageOf("/orders/new", [keyed, "Authorization: Bearer secret", "Cookie: session=1"]);
  assert.not(/a key that|secret/.test(JSON.stringify([...sent.metadata])));
});

test("metadata: forwarding and request id headers of the client are excluded", async () => {
  const claims = [
    "X-Forwarded-For: 6.6.6.6",
    "Forwarded: for=6.6.6.6",
    "X-Real-IP: 6.6.6.6",
    "X-Request-Id: 6.6.6.6",
  ];
  const { metadata } = await messageOf("/open/new", claims);
  assert.not(JSON.stringify([...metadata]).includes("6.6.6.6"));
});

test("prototype keys: query, cookies, headers, path and body treat them as ordinary names", async () => {
  const names = ["__proto__", "constructor", "prototype", "hasOwnProperty", "toString"];
  for (const name of names) {
    const { metadata } = await messageOf(
      `/open/new?${name}=a`,
      [`Cookie: ${name}=b`, `${name}: c`],
      `{"${name}":{"polluted":1}}`,
    );
    assert.ok(
      [...metadata.values()].every((value) => typeof value === "string"),
      name,
    );
  }
  await messageOf("/open/tenants/__proto__", ["X-Tenant: __proto__"]);
  const { metadata } = await messageOf("/open/new");
  assert.is(metadata.get("polluted"), undefined);
});

test("line breaks: encoded ones in a query stay part of the value", async () => {
  const { metadata } = await messageOf("/open/new?a=1%0d%0aX-User-Id:%20posed&b%0d%0aX-User-Id=posed");
  assert.is(metadata.get("a"), "1\r\nX-User-Id: posed");
  assert.is(metadata.get("X-User-Id"), undefined);
});

refuseAll("line breaks", victim, [
  ["in the path of a stream", request("/orders/new%0d%0aX-Api-Key:a", { headers: [keyed] })],
  ["in the path of the upstream", request("/orders/things%0d%0aX-Admin:1", { headers: [keyed] })],
  ["in a parameter of the path", request("/orders/tenants/a%0d%0ab", { headers: [keyed, "X-Tenant: a"] })],
  ["in the host", `POST /orders/new HTTP/1.1\r\nHost: a%0d%0aX: b\r\nConnection: close\r\n${keyed}\r\n\r\n`],
]);

test("variables: requests that fail authentication start no stream instance", async () => {
  const before = (await victim.reached()).length;
  const tenants = Array.from({ length: 30 }, (_, at) => `X-Tenant: unknown ${at}`);
  for (const tenant of tenants) {
    assert.equal(await answersTo(victim.port, request("/orders/tenants/1", { headers: [tenant] })), [401]);
  }
  assert.equal((await victim.reached()).slice(before), []);
  const streams = (await (await fetch(`${victim.adminUrl}/streams`)).json()) as {
    streams: { stream: string }[];
  };
  assert.equal(
    streams.streams.filter((each) => each.stream === "tenants" && JSON.stringify(each).includes('"orders"')),
    [],
  );
});

endWell(victim);
test.run();
