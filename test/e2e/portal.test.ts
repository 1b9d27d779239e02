import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { isGenuine } from "../../examples/webhooks/verify.ts";
import { keyedOrders } from "../harness/api-documents.ts";
import { projectRoot, temporaryDirectory } from "../harness/directories.ts";
import { until } from "../harness/wait.ts";
import { receiver } from "../runtime/portal/receivers.ts";
import { buildAndStart } from "./gateway.ts";

const settings = `streaming: { enabled: true }
apis: [orders.yaml]
store: "\${STORE}"
oauth: {}
portal: { enabled: true, organisation: acme, page: true }
policies:
  - { id: readers, access_rights: { orders: {} } }
`;
const folder = temporaryDirectory("portal");
writeFileSync(join(folder, "gateway.yaml"), settings);
writeFileSync(join(folder, "orders.yaml"), keyedOrders("{ drop: {} }"));
const environment = {
  STORE: `sqlite:${join(folder, "gateway.db")}`,
  GW_PORTAL_ACCESS_TOKENS: "the-token-of-administrators",
};

test("a built gateway serves the portal, and only with a token", async () => {
  const gateway = await buildAndStart([join(folder, "gateway.yaml")], environment);
  const ask = async (path: string, headers: Readonly<Record<string, string>> = {}) =>
    (await fetch(`${gateway.url}${path}`, { headers })).status;
  const authorization = environment.GW_PORTAL_ACCESS_TOKENS;
  assert.is(await ask("/api/portal/policies"), 401);
  assert.is(await ask("/api/portal/policies", { authorization }), 200);
  assert.is(await ask("/api/portal/openapi.json", { authorization }), 200);
  assert.is(await gateway.program.stop(), 0);
  assert.not.ok(gateway.program.output().includes(authorization), "no secret is logged");
});

test("a portal with its own listener is served there only", async () => {
  const gateway = await buildAndStart([join(folder, "gateway.yaml")], {
    ...environment,
    GW_PORTAL_LISTEN: "127.0.0.1:0",
  });
  const [line] = await gateway.program.matching(/^\{.*"msg":"listening".*\}$/m);
  const { portal } = JSON.parse(line) as { portal: string };
  const headers = { authorization: environment.GW_PORTAL_ACCESS_TOKENS };
  const ask = async (url: string, method = "GET") => (await fetch(url, { method, headers })).status;
  assert.is(await ask(`${portal}/api/portal/policies`), 200);
  assert.is(await ask(`${portal}/api/portal/requests/none`, "UPDATE"), 415);
  assert.is(await ask(`${portal}/orders/new`, "POST"), 404);
  const abilities = await (await fetch(`${portal}/portal/entrance/abilities`)).json();
  assert.is(Object(abilities).apis_elsewhere, true);
  assert.is(await ask(`${gateway.url}/api/portal/policies`), 404);
  assert.is(await ask(`${gateway.url}/orders/new`, "POST"), 401);
  assert.is(await gateway.program.stop(), 0);
});

test("example: a request, its approval, a key that works immediately, and a webhook with a valid signature", async () => {
  const hook = await receiver();
  const gateway = await buildAndStart([join(projectRoot, "examples/portal/gateway.yaml")], {
    STORE: `sqlite:${join(temporaryDirectory("portal-example"), "portal.db")}`,
    ALLOW_PRIVATE: "true",
    GW_PORTAL_ACCESS_TOKENS: environment.GW_PORTAL_ACCESS_TOKENS,
  });
  const ask = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${gateway.url}/api/portal${path}`, {
      method,
      headers: {
        authorization: environment.GW_PORTAL_ACCESS_TOKENS,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    assert.is(response.status, 200, text);
    // The type that the portal documents for its responses.
    return JSON.parse(text) as { Message: string; Meta: { secret: string }; RawKey: string };
  };
  const order = async (headers: Readonly<Record<string, string>> = {}) => {
    const response = await fetch(`${gateway.url}/orders/new`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: '{"id":"7"}',
    });
    await response.arrayBuffer();
    return response.status;
  };
  const { Message: policy } = await ask("POST", "/policies", {
    name: "gold",
    access_rights: { orders: {} },
    rate: 100,
    per: 60,
  });
  const webhooks = { enabled: true, events: ["order.made"] };
  const entry = { name: "Orders", policy_id: policy, auth_type: "authToken", show: true, webhooks };
  await ask("POST", "/catalogue", { apis: [entry] });
  const { Message: user } = await ask("POST", "/developers", {
    email: "ann@example.com",
    password: "a long password 1",
  });
  const { Message: app } = await ask("POST", "/apps", { name: "Till", by_user: user, products: [policy] });
  const made = await ask("POST", `/apps/${app}/webhooks`, { url: hook.url, events: ["order.made"] });
  const { Message: request } = await ask("POST", "/requests", {
    by_user: user,
    apply_policies: [policy],
    version: "v2",
  });
  assert.is(await order(), 401);
  const { RawKey: key } = await ask("PUT", `/requests/approve/${request}`);
  assert.is(await order({ "X-Api-Key": key }), 200);
  assert.is(await order(), 401);
  await until(() => hook.requests.length === 1);
  const [{ headers, body } = { headers: {}, body: "" }] = hook.requests;
  assert.is(body, '{"id":"7"}');
  assert.ok(isGenuine(headers, Buffer.from(body), made.Meta.secret));
  assert.not.ok(isGenuine(headers, Buffer.from(body), "whsec_AAAA"));
  assert.is(await gateway.program.stop(), 0);
  for (const secret of [key, made.Meta.secret]) assert.not.ok(gateway.program.output().includes(secret));
  await hook.close();
});

test.run();
