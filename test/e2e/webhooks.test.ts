import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { isGenuine } from "../../examples/webhooks/verify.ts";
import { projectRoot, temporaryDirectory } from "../harness/directories.ts";
import { freePort } from "../harness/ports.ts";
import { start } from "../harness/processes.ts";
import { warmSluice } from "../harness/sluice.ts";
import { until } from "../harness/wait.ts";
import { receiver, verify } from "../runtime/portal/receivers.ts";
import { type BuiltGateway, startBundle } from "./gateway.ts";

const token = "the-token-of-administrators";

/** Builds the example, or a set of these documents; resolves with the folder of the bundle. */
async function build(set: string): Promise<string> {
  const folder = temporaryDirectory("webhooks");
  const built = await warmSluice(["build", set, "-o", folder], { cwd: projectRoot });
  assert.is(built.status, 0, built.stdout + built.stderr);
  return folder;
}

function write(files: Readonly<Record<string, string>>): string {
  const folder = temporaryDirectory("documents");
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

function freshStore(): string {
  return `sqlite:${join(temporaryDirectory("store"), "orders.db")}`;
}

async function ask({ url }: BuiltGateway, method: string, path: string, body?: object) {
  const response = await fetch(`${url}/api/portal${path}`, {
    method,
    headers: { authorization: token, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as { Message: string; Meta: { secret: string } | null }; // as the portal says
  assert.is(response.status, 200, JSON.stringify(answer));
  return answer;
}

/** Creates a developer, and a product, `orders`, that offers events; resolves with the developer's id. */
async function offer(gateway: BuiltGateway): Promise<string> {
  const webhooks = { enabled: true, events: ["order.made", "order.paid"] };
  await ask(gateway, "POST", "/catalogue", { apis: [{ name: "Orders", api_id: "orders", webhooks }] });
  const developer = { email: "ann@example.com", password: "a long password" };
  return (await ask(gateway, "POST", "/developers", developer)).Message;
}

/** Subscribes an app of the developer to an event; resolves with the secret, and the path of the webhook. */
async function subscribe(
  gateway: BuiltGateway,
  by_user: string,
  url: string,
  event: string,
): Promise<{ readonly secret: string; readonly path: string }> {
  const { Message: app } = await ask(gateway, "POST", "/apps", {
    name: "Till",
    by_user,
    products: ["orders"],
  });
  const { Message: id, Meta } = await ask(gateway, "POST", `/apps/${app}/webhooks`, { url, events: [event] });
  return { secret: Meta?.secret ?? "", path: `/apps/${app}/webhooks/${id}` };
}

async function order({ url }: BuiltGateway, path: string, body: string): Promise<number> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${url}${path}`, { method: "POST", body, headers });
  await response.arrayBuffer();
  return response.status;
}

const environment = { GW_PORTAL_ACCESS_TOKENS: token, ALLOW_PRIVATE: "true" };

test("the receiver of the example gets the subscribed events, and verifies their signature", async () => {
  const folder = await build("examples/webhooks/gateway.yaml");
  const store = freshStore();
  const gateway = await startBundle(folder, { ...environment, STORE: store });
  const by_user = await offer(gateway);
  const port = await freePort();
  const { secret } = await subscribe(gateway, by_user, `http://127.0.0.1:${port}/`, "order.made");
  const program = start(process.execPath, [join(projectRoot, "examples/webhooks/receiver.ts")], {
    env: { WEBHOOK_SECRET: secret, PORT: String(port) },
  });
  await program.matching(/listening/);
  for (const state of ["made", "paid"]) {
    assert.is(await order(gateway, "/orders/new", `{"id":"7","state":"${state}"}`), 200);
  }
  await program.matching(/^order\.made \{"id":"7","state":"made"\}$/m);
  assert.not.match(program.output(), "paid");
  const forged = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: "{}" });
  assert.is(forged.status, 401);
  await program.stop();
  assert.is(await gateway.program.stop(), 0);
  assert.not.ok(gateway.program.output().includes(secret), "no secret is logged");
});

test("the verification of the example agrees with the library of Standard Webhooks", async () => {
  const folder = await build("examples/webhooks/gateway.yaml");
  const store = freshStore();
  const gateway = await startBundle(folder, { ...environment, STORE: store });
  const by_user = await offer(gateway);
  const hook = await receiver();
  const { secret } = await subscribe(gateway, by_user, hook.url, "order.made");
  await order(gateway, "/orders/new", '{"id":"7","state":"made"}');
  const [request] = await until(() => hook.requests.length > 0 && hook.requests);
  assert.ok(request);
  verify(request, secret);
  const { headers, body } = request;
  assert.is(headers["x-order"], "7");
  const bytes = Buffer.from(body);
  assert.ok(isGenuine(headers, bytes, secret));
  assert.not.ok(isGenuine(headers, Buffer.from(`${body} `), secret), "another body");
  assert.not.ok(isGenuine(headers, bytes, "whsec_AAAAAAAAAAAAAAAAAAAAAAAA"), "another secret");
  assert.not.ok(isGenuine({ ...headers, "webhook-id": "msg_1" }, bytes, secret), "another id");
  assert.not.ok(isGenuine({ ...headers, "webhook-timestamp": "1" }, bytes, secret), "another time");
  assert.not.ok(isGenuine({}, bytes, secret), "no signature");
  await Promise.all([gateway.program.stop(), hook.close()]);
});

const ownPortal = `streaming: { enabled: true }
apis: [orders.yaml]
store: "\${STORE}"
portal: { enabled: true }
webhooks: { allow_private: true, timeout: 1s, retry_period: 100ms, max_retry_backoff: 200ms, max_attempts: 1000 }
`;
const orders = (output: string) => `openapi: 3.1.0
info: { title: Orders, version: 1.0.0 }
paths: {}
x-gw-api-gateway: { server: { listenPath: { value: /orders/ } } }
x-gw-streaming:
  streams:
    orders:
      input: { http_server: { path: /new } }
      output: { portal_webhook: ${output} }
`;

test("confirmed events are delivered in order after a gateway kill, to a receiver that was unavailable", async () => {
  const documents = write({ "gateway.yaml": ownPortal, "orders.yaml": orders("{ event_type: order.made }") });
  const folder = await build(join(documents, "gateway.yaml"));
  const store = freshStore();
  const env = { ...environment, STORE: store };
  let gateway = await startBundle(folder, env);
  const by_user = await offer(gateway);
  const port = await freePort();
  // The first attempt never ends, so that an attempt is in progress when the gateway is killed.
  const hung = await receiver(() => new Promise(() => undefined));
  const stuck = await subscribe(gateway, by_user, hung.url, "order.made");
  const away = await subscribe(gateway, by_user, `http://127.0.0.1:${port}/`, "order.made");
  const bodies = Array.from({ length: 20 }, (_, index) => `{"id":${index}}`);
  for (const body of bodies) assert.is(await order(gateway, "/orders/new", body), 200);
  await until(() => hung.requests.length > 0);
  assert.is(await gateway.program.stop("SIGKILL"), "SIGKILL");
  await hung.close();

  gateway = await startBundle(folder, env);
  const back = await receiver();
  await ask(gateway, "PUT", away.path, { url: back.url, events: ["order.made"] });
  await ask(gateway, "PUT", stuck.path, { url: `${back.url}/stuck`, events: ["order.made"] });
  const received = (path: string) => [
    ...new Set(back.requests.filter((request) => request.path === path).map(({ body }) => body)),
  ];
  await until(() => received("/").length === bodies.length && received("/stuck").length === bodies.length);
  assert.equal(received("/"), bodies);
  assert.equal(received("/stuck"), bodies);
  await Promise.all([gateway.program.stop(), back.close()]);
});

test("a gateway without a portal forwards events to a remote one, and fails while that is unavailable", async () => {
  const inner = write({ "gateway.yaml": ownPortal, "orders.yaml": orders("{ event_type: order.made }") });
  const outer = write({
    "orders.yaml": orders(
      '{ event_type: order.paid, portal_url: "${PORTAL_URL}", secret: "${WEBHOOK_SECRET}", headers: { X-From: outside } }',
    ),
  });
  const store = freshStore();
  const env = { ...environment, STORE: store };
  const [portalBundle, bundle] = [
    await build(join(inner, "gateway.yaml")),
    await build(join(outer, "orders.yaml")),
  ];
  // Each bundle contains its own way of delivery, and nothing of the other.
  const carries = (folder: string, text: string) =>
    readFileSync(join(folder, "gateway.mjs"), "utf8").includes(text);
  const markers = ["This gateway has no portal", "GW_PORTAL_TOKEN is empty"];
  assert.equal(
    [portalBundle, bundle].map((folder) => markers.map((marker) => carries(folder, marker))),
    [
      [true, false],
      [false, true],
    ],
  );
  let portal = await startBundle(portalBundle, env);
  const by_user = await offer(portal);
  const hook = await receiver();
  const { secret } = await subscribe(portal, by_user, hook.url, "order.paid");
  const own = "secret of the output";
  const remote = { GW_PORTAL_TOKEN: token, PORTAL_URL: portal.url, WEBHOOK_SECRET: own };
  const gateway = await startBundle(bundle, remote);
  assert.is(await order(gateway, "/orders/new", '{"id":1}'), 200);
  const [request] = await until(() => hook.requests.length > 0 && hook.requests);
  assert.ok(request);
  verify(request, secret);
  verify(request, own);
  assert.equal([request.body, request.headers["x-from"]], ['{"id":1}', "outside"]);

  await portal.program.stop();
  const refused = await order(gateway, "/orders/new", '{"id":2}');
  assert.ok(refused >= 500 || refused === 408, String(refused));
  portal = await startBundle(portalBundle, { ...env, GW_LISTEN: new URL(portal.url).host });
  assert.is(await order(gateway, "/orders/new", '{"id":3}'), 200);
  await until(() => hook.bodies().includes('{"id":3}'));
  await gateway.program.stop();
  for (const text of [token, own])
    assert.not.ok(gateway.program.output().includes(text), "no secret is logged");
  const wrong = await startBundle(bundle, { ...remote, GW_PORTAL_TOKEN: "another token" });
  assert.is(await order(wrong, "/orders/new", '{"id":4}'), 502);
  await Promise.all([wrong.program.stop(), portal.program.stop(), hook.close()]);
});

test.run();
