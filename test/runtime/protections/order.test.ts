import { test } from "uvu";
import * as assert from "uvu/assert";
import { httpServerInput } from "../../../runtime/connectors/http-server/input.ts";
import { httpServerOutput } from "../../../runtime/connectors/http-server/output.ts";
import type { ApiDefinition } from "../../../runtime/gateway.ts";
import { configuredKeys } from "../../../runtime/keys/configured-keys.ts";
import { hashKey } from "../../../runtime/keys/key-hash.ts";
import { pathTest } from "../../../runtime/keys/path-test.ts";
import { accessRights } from "../../../runtime/protections/access-rights.ts";
import { authToken } from "../../../runtime/protections/authentication/auth-token.ts";
import { authentication } from "../../../runtime/protections/authentication/authentication.ts";
import { perRequest } from "../../../runtime/stream/instances/stream-instances.ts";
import { sse } from "../../harness/sse-client.ts";
import { until } from "../../harness/wait.ts";
import { socket, UpgradeRefused } from "../../harness/websocket-client.ts";
import { type ManualInput, manualInput, memoryOutput } from "../gateway/components.ts";
import { startGateway } from "../gateway/start-gateway.ts";

const protections = () => [
  authentication({
    methods: { key: authToken({ header: "X-Api-Key", query: "key" }) },
    requirements: [{ key: [] }],
  }),
  accessRights(),
];

const urls = ["^/new$", "^/socket$", "^/events$"].map((url) => ({ url: pathTest(url) }));
const keys = configuredKeys({
  keys: [
    {
      key_hash: hashKey("sales"),
      meta_data: { team: "sales" },
      access_rights: { orders: { allowed_urls: urls } },
    },
    { key_hash: hashKey("elsewhere"), access_rights: { other: {} } },
    {
      key_hash: hashKey("nowhere"),
      access_rights: { orders: { allowed_urls: [{ url: pathTest("^/x$") }] } },
    },
    { key_hash: hashKey("expired"), expires: 1 },
    { key_hash: hashKey("inactive"), is_inactive: true },
  ],
});

/** The status for each key that is refused, also without a key and with an unknown one. */
const refusals = { "": 401, guess: 403, elsewhere: 403, nowhere: 403, expired: 401, inactive: 403 };

test("a rejected request starts no stream instance and sends nothing, over sockets either", async () => {
  const made: string[] = [];
  const output = memoryOutput();
  const api: ApiDefinition = {
    id: "orders",
    listenPath: "/",
    protections,
    streams: {
      orders: perRequest(["meta.team"], (_env, request) => {
        made.push(request.text("meta.team"));
        return { input: httpServerInput({ path: "/new", ws_path: "/socket" }), output };
      }),
    },
  };
  const gateway = await startGateway([api], { keys });
  const atStart = [...made];
  for (const [key, status] of Object.entries(refusals)) {
    const headers: Record<string, string> = key === "" ? {} : { "x-api-key": key };
    const response = await fetch(`${gateway.url}/new`, { method: "POST", body: "a", headers });
    assert.is(response.status, status, key);
    const refused = await socket(`${gateway.url}/socket`, { headers }).catch((error: unknown) => error);
    assert.is(refused instanceof UpgradeRefused ? refused.status : refused, status, key);
  }
  assert.equal([made, gateway.streams.states(), output.texts], [atStart, [], []]);

  const headers = { "x-api-key": "sales" };
  assert.is((await fetch(`${gateway.url}/new`, { method: "POST", body: "b", headers })).status, 200);
  assert.equal([made.slice(atStart.length), output.texts], [["sales"], ["b"]]);
  await gateway.close();
});

test("a rejected client does not start its stream's input", async () => {
  const inputs: ManualInput[] = [];
  const api: ApiDefinition = {
    id: "orders",
    listenPath: "/",
    protections,
    streams: {
      orders: () => {
        const input = manualInput();
        inputs.push(input);
        return { input, output: httpServerOutput({ stream_path: "/events" }) };
      },
    },
  };
  const gateway = await startGateway([api], { keys });
  const starts = () => inputs.reduce((sum, input) => sum + input.starts, 0);
  for (const [key, status] of Object.entries(refusals)) {
    assert.is((await fetch(`${gateway.url}/events${key === "" ? "" : `?key=${key}`}`)).status, status, key);
  }
  assert.is(starts(), 0);
  const client = await sse(`${gateway.url}/events?key=sales`);
  await until(() => starts() === 1, { what: "the start of the input" });
  client.close();
  await gateway.close();
});

test.run();
