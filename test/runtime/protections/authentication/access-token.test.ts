import { test } from "uvu";
import * as assert from "uvu/assert";
import { plainHttpServerInput } from "../../../../runtime/connectors/http-server/input.ts";
import { GatewayError } from "../../../../runtime/errors.ts";
import { serveGateway } from "../../../../runtime/gateway/serve.ts";
import { configuredKeys } from "../../../../runtime/keys/configured-keys.ts";
import { memoryTokens } from "../../../../runtime/oauth/memory-tokens.ts";
import { oauthServer } from "../../../../runtime/oauth/oauth-server.ts";
import type { TokenStore } from "../../../../runtime/oauth/tokens.ts";
import { createLogger } from "../../../../runtime/process/log.ts";
import { accessRights } from "../../../../runtime/protections/access-rights.ts";
import { accessToken } from "../../../../runtime/protections/authentication/access-token.ts";
import { authentication } from "../../../../runtime/protections/authentication/authentication.ts";
import { memoryOutput } from "../../gateway/components.ts";
import { ordersApi } from "../../gateway/start-gateway.ts";
import { basic, secrets, shop, till } from "../../oauth/served.ts";
import { refusals } from "./guarded-by.ts";

const policies = [
  { id: "gold", access_rights: { orders: {} } },
  { id: "silver", access_rights: { invoices: {} } },
];

async function start(store: TokenStore = memoryTokens()) {
  const output = memoryOutput();
  const api = ordersApi({ intake: () => ({ input: plainHttpServerInput({ path: "/new" }), output }) });
  const method = accessToken({ header: "Authorization" });
  const asking = authentication({ methods: { it: method }, requirements: [{ it: ["orders:write"] }] });
  const clients = [
    { ...shop, scopes: ["orders:write"] },
    { ...till, scopes: ["orders:write"] },
  ];
  const running = await serveGateway(
    {
      streaming: { enabled: true },
      apis: [{ ...api, protections: () => [asking, accessRights()] }],
      keys: () => configuredKeys({ policies }),
      oauth: () => oauthServer({ clients }, store),
    },
    {
      log: createLogger("silent"),
      environment: { GW_LISTEN: "127.0.0.1:0", GW_ADMIN_LISTEN: "127.0.0.1:0" },
    },
  );
  const url = running.addresses.gateway;
  const post = async (path: string, authorization: string, body: string | URLSearchParams) => {
    const response = await fetch(`${url}${path}`, { method: "POST", body, headers: { authorization } });
    const text = await response.text();
    return [response.status, text === "" ? {} : JSON.parse(text)] as const;
  };
  const getToken = async (id: string, secret: string, scope?: string) => {
    const form = { grant_type: "client_credentials", ...(scope !== undefined && { scope }) };
    const [, answer] = await post("/oauth/token", basic(id, secret), new URLSearchParams(form));
    return String(answer.access_token);
  };
  const send = async (authorization: string) => {
    const [status, answer] = await post("/orders/new", authorization, "a");
    return [status, answer.error];
  };
  return { ...running, output, post, getToken, send };
}

test("a token grants what the policy of its client grants, and nothing once it is revoked", async () => {
  const gateway = await start();
  const token = await gateway.getToken("shop 1", secrets.shop);
  assert.is((await gateway.send(`Bearer ${token}`))[0], 200);
  const other = await gateway.getToken("till", secrets.till);
  assert.equal(await gateway.send(`Bearer ${other}`), refusals.disallowed);
  assert.equal(await gateway.send("Bearer unknown"), refusals.disallowed);
  assert.equal(await gateway.send(basic("shop 1", secrets.shop)), refusals.missing);
  await gateway.post("/oauth/revoke", basic("shop 1", secrets.shop), new URLSearchParams({ token }));
  assert.equal(await gateway.send(`Bearer ${token}`), refusals.disallowed);
  assert.equal(gateway.output.texts, ["a"]);
  await gateway.close();
});

test("paths beside the OAuth endpoints go to the APIs", async () => {
  const gateway = await start();
  for (const path of [
    "/oauth",
    "/oauth/",
    "/oauth/token/",
    "/oauth/token/x",
    "/oauth/other",
    "//oauth/token",
    "/oauth%2ftoken",
  ]) {
    assert.is((await gateway.post(path, "", ""))[0], 404, path);
  }
  await gateway.close();
});

test("if tokens cannot be looked up, requests are rejected", async () => {
  const away = async () => Promise.reject(new GatewayError(502, "Redis cannot be reached"));
  const gateway = await start({ ...memoryTokens(), findAccess: away });
  assert.equal(await gateway.send("Bearer token"), [502, "Redis cannot be reached"]);
  assert.equal(gateway.output.texts, []);
  await gateway.close();
});

test.run();
