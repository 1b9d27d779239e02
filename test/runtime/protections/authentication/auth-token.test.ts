import { once } from "node:events";
import { Agent, request } from "node:http";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { httpServerInput } from "../../../../runtime/connectors/http-server/input.ts";
import { configuredKeys } from "../../../../runtime/keys/configured-keys.ts";
import { hashKey } from "../../../../runtime/keys/key-hash.ts";
import type { Keys } from "../../../../runtime/keys/keys.ts";
import { createSession } from "../../../../runtime/keys/sessions.ts";
import { authToken } from "../../../../runtime/protections/authentication/auth-token.ts";
import { authentication } from "../../../../runtime/protections/authentication/authentication.ts";
import { httpServer } from "../../../harness/http-server.ts";
import { socket, UpgradeRefused } from "../../../harness/websocket-client.ts";
import { memoryOutput } from "../../gateway/components.ts";
import { ordersApi, startGateway } from "../../gateway/start-gateway.ts";
import { startGuarded } from "../guarded.ts";

const keys = configuredKeys({ keys: [{ key_hash: hashKey("right"), alias: "ann" }] });

const everywhere = authentication({
  methods: { key: authToken({ header: "X-Api-Key", query: "key", cookie: "key" }) },
  requirements: [{ key: [] }],
});

const missing = { error: "Authorization field missing" };
const disallowed = { error: "Access to this API has been disallowed" };

test("a key is accepted in header, query or cookie, and nowhere else", async () => {
  const gateway = await startGuarded([everywhere], { keys });
  const rows: readonly [RequestInit["headers"], string, number, object?][] = [
    [{ "x-api-key": "right" }, "", 200],
    [{ "x-api-key": "Bearer right" }, "", 200],
    [{}, "?key=right", 200],
    [{}, "?a=1&key=right", 200],
    [{ cookie: "a=b; key=right" }, "", 200],
    [{}, "", 401, missing],
    [{ "x-api-key": "" }, "", 401, missing],
    [{ "x-api-key": "Bearer" }, "", 403, disallowed],
    [{}, "?key=", 401, missing],
    [{ authorization: "right" }, "", 401, missing],
    [{ "x-api-key": "wrong" }, "", 403, disallowed],
    [{ "x-api-key": "RIGHT" }, "", 403, disallowed],
    [{ "x-api-key": hashKey("right") }, "", 403, disallowed],
    [{ "x-api-key": "__proto__" }, "", 403, disallowed],
    [{ "x-api-key": "wrong" }, "?key=right", 403, disallowed],
    [{}, "?key=right&key=wrong", 400, { error: "Credential given more than once" }],
    [{ cookie: "key=right; key=wrong" }, "", 400, { error: "Credential given more than once" }],
    [
      [
        ["x-api-key", "right"],
        ["X-Api-Key", "wrong"],
      ],
      "",
      403,
      disallowed,
    ],
  ];
  for (const [headers, query, status, body] of rows) {
    const text = `${JSON.stringify(headers)} ${query}`;
    const response = await fetch(gateway.url + query, { method: "POST", body: text, headers: headers ?? {} });
    assert.is(response.status, status, text);
    if (body !== undefined) assert.equal(await response.json(), body, text);
    assert.is(gateway.received.includes(text), status === 200, text);
  }
  await gateway.close();
});

test("without keys, or with a failing store, requests are rejected", async () => {
  const failing: Keys = {
    ...keys,
    findKey: () => Promise.reject(new Error("the secret store is away")),
  };
  const rows = [
    [undefined, 403, disallowed.error],
    [failing, 500, "Internal error"],
  ] as const;
  for (const [given, status, error] of rows) {
    const gateway = await startGuarded([everywhere], given === undefined ? {} : { keys: given });
    const response = await fetch(gateway.url, {
      method: "POST",
      body: "a",
      headers: { "x-api-key": "right" },
    });
    assert.equal([response.status, await response.json()], [status, { error }]);
    assert.equal(gateway.received, []);
    await gateway.close();
  }
});

test("each request on a connection is authenticated, regardless of earlier keys", async () => {
  const records = new Map(["right", "other"].map((key) => [hashKey(key), { key_hash: hashKey(key) }]));
  const changing: Keys = {
    ...keys,
    findKey(hash) {
      const record = records.get(hash);
      return record && { record, session: createSession(hash, record, []) };
    },
  };
  const gateway = await startGuarded([everywhere], { keys: changing });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = async (key: string) => {
    const headers = { "x-api-key": key };
    const sent = request(gateway.url, { agent, method: "POST", headers }).end("a");
    const [response] = await once(sent, "response");
    for await (const _ of response); // reads to the end, so that the connection is reused
    return [response.statusCode, sent.reusedSocket];
  };
  assert.equal(await ask("right"), [200, false]);
  for (const [key, status] of [
    ["right", 200],
    ["wrong", 403],
    ["righT", 403],
    ["other", 200],
    ["right", 200],
  ] as const) {
    assert.equal(await ask(key), [status, true], key);
  }
  records.delete(hashKey("right"));
  assert.equal(
    [await ask("right"), await ask("other")],
    [
      [403, true],
      [200, true],
    ],
  );
  agent.destroy();
  await gateway.close();
});

test("a 401 names the bearer scheme", async () => {
  const bearer = authentication({
    methods: { token: authToken({ header: "Authorization", bearer: true }) },
    requirements: [{ token: [] }],
  });
  const gateway = await startGuarded([bearer], { keys });
  const response = await fetch(gateway.url, { method: "POST" });
  assert.equal([response.status, response.headers.get("www-authenticate")], [401, "Bearer"]);
  const other = { authorization: "Basic cmlnaHQ6" };
  assert.is((await fetch(gateway.url, { method: "POST", headers: other })).status, 401);
  const right = { authorization: "bearer right" };
  assert.is((await fetch(gateway.url, { method: "POST", headers: right })).status, 200);
  await gateway.close();
});

test("neither streams nor log lines contain the credential", async () => {
  const output = memoryOutput();
  const api = ordersApi({ intake: () => ({ input: httpServerInput({ path: "/new" }), output }) });
  const gateway = await startGateway([{ ...api, protections: () => [everywhere] }], { keys });
  const url = `${gateway.url}/orders/new`;
  const post = (headers: Record<string, string>, query = "") =>
    fetch(url + query, { method: "POST", body: "a", headers });
  await post(
    { "x-api-key": "right", "x-other": "1", cookie: "key=right; other=2" },
    "?key=right&a=%20b&other2=3",
  );
  await post({ cookie: "key=right" });
  for (const batch of output.batches) {
    for (const message of batch) {
      const names = [...message.metadata.keys()];
      assert.not(
        names.some((name) => /^(x-api-key|key)$/i.test(name)),
        names.join(),
      );
      assert.not(JSON.stringify([...message.metadata]).includes("right"));
    }
  }
  const [first] = output.batches[0] ?? [];
  assert.equal(
    ["X-Other", "a", "other", "other2"].map((name) => first?.metadata.get(name)),
    ["1", " b", "2", "3"],
  );
  assert.not(JSON.stringify(gateway.lines).includes("right"));
  await gateway.close();
});

test("the upstream receives the credential unless it is stripped", async () => {
  const upstream = await httpServer();
  for (const strip of [false, true]) {
    const guard = authentication({
      methods: { key: authToken({ header: "X-Api-Key", query: "key", cookie: "key" }) },
      requirements: [{ key: [] }],
      stripAuthorizationData: strip,
    });
    const api = ordersApi({}, upstream.url);
    const gateway = await startGateway([{ ...api, protections: () => [guard] }], { keys });
    const headers = { "x-api-key": "right", cookie: "key=right; other=2" };
    await fetch(`${gateway.url}/orders/a?b=%20&key=right`, { headers });
    const seen = upstream.requests.at(-1);
    assert.equal(
      [seen?.path, seen?.headers["x-api-key"], seen?.headers.cookie],
      strip ? ["/a?b=%20", undefined, "other=2"] : ["/a?b=%20&key=right", "right", "key=right; other=2"],
    );
    await gateway.close();
  }
  await upstream.close();
});

test("browsers' WebSockets send the key as a subprotocol, which is not echoed", async () => {
  const output = memoryOutput();
  const api = ordersApi({ intake: () => ({ input: httpServerInput({ ws_path: "/socket" }), output }) });
  const gateway = await startGateway([{ ...api, protections: () => [everywhere] }], { keys });
  const url = `${gateway.url}/orders/socket`;
  const client = await socket(url, {}, ["orders", "bearer.right"]);
  assert.is(client.socket.protocol, "orders");
  await client.send("a");
  await client.close();
  for (const [protocols, status] of [
    [["orders"], 401],
    [["orders", "bearer.wrong"], 403],
    [["orders", "bearer.right", "bearer.wrong"], 400],
  ] as const) {
    const refused = await socket(url, {}, protocols).catch((error: unknown) => error);
    assert.is(refused instanceof UpgradeRefused ? refused.status : refused, status, protocols.join());
  }
  const byQuery = await socket(`${url}?key=right`);
  await byQuery.send("b");
  await byQuery.close();
  await gateway.close();
  assert.equal(output.texts, ["a", "b"]);
  assert.not(JSON.stringify(output.batches.flat().map(({ metadata }) => [...metadata])).includes("right"));
});

test("optional credentials may be missing, but not wrong", async () => {
  const optional = authentication({
    methods: { key: authToken({ header: "X-Api-Key" }) },
    requirements: [{ key: [] }, {}],
  });
  const gateway = await startGuarded([optional], { keys });
  const statusOf = async (headers: Record<string, string>) =>
    (await fetch(gateway.url, { method: "POST", headers })).status;
  assert.equal(
    [await statusOf({}), await statusOf({ "x-api-key": "right" }), await statusOf({ "x-api-key": "wrong" })],
    [200, 200, 403],
  );
  await gateway.close();
});

test.run();
