import { test } from "uvu";
import * as assert from "uvu/assert";
import { parse } from "yaml";
import { apiOf } from "../harness/api-documents.ts";
import { warmSluice } from "../harness/sluice.ts";
import { folderWith, misspelt } from "./documents.ts";

const api = (id: string) =>
  apiOf("intake:\n  input: { http_server: { path: /in } }\n  output: { drop: {} }\n", { id }).replace(
    "paths: {}",
    'servers: [{ url: "https://api.example.com/ignored" }]\npaths: {}',
  );
const cwd = folderWith({
  "orders.yaml": api("orders"),
  "users.yaml": api("users"),
  "misspelt.yaml": misspelt,
  "gateway.yaml": "streaming: { enabled: true }\napis: [orders.yaml, users.yaml]\n",
});

test("asyncapi describes the streams of an API as its clients see them", async () => {
  const { status, stdout, stderr } = await warmSluice(["asyncapi", "orders.yaml"], { cwd });
  assert.equal([status, stderr], [0, ""]);
  const described = parse(stdout);
  assert.is(described.asyncapi, "3.1.0");
  assert.equal(described.servers, {
    gateway: { host: "api.example.com", protocol: "https", pathname: "/orders" },
  });
  assert.equal(Object.keys(described.operations), ["receive_intake"]);
});

test("asyncapi selects one API of several, and accepts another server address", async () => {
  const options = ["--api", "users", "--json", "--server", "http://127.0.0.1:8080"];
  const { status, stdout } = await warmSluice(["asyncapi", "gateway.yaml", ...options], { cwd });
  assert.is(status, 0);
  const { info, servers } = JSON.parse(stdout);
  assert.equal([info.title, servers.gateway.host], ["users", "127.0.0.1:8080"]);
});

test("asyncapi prints the client view, and the brokers behind the gateway", async () => {
  const options = ["--json", "--view", "client", "--with-brokers"];
  const { status, stdout } = await warmSluice(["asyncapi", "orders.yaml", ...options], { cwd });
  assert.is(status, 0);
  const actions = Object.entries<{ action: string }>(JSON.parse(stdout).operations);
  assert.equal(
    actions.map(([name, { action }]) => [name.split("_")[0], action]),
    actions.map(([name]) => [name.split("_")[0], name.split("_")[0]]),
  );
  assert.is(actions[0]?.[0], "send_intake");
});

test("asyncapi reports missing and invalid options, and documents with errors", async () => {
  const which = await warmSluice(["asyncapi", "gateway.yaml"], { cwd });
  assert.equal([which.status, which.stderr], [64, "sluice: which API? --api orders or --api users\n"]);
  const unknown = await warmSluice(["asyncapi", "gateway.yaml", "--api", "order"], { cwd });
  assert.equal(
    [unknown.status, unknown.stderr],
    [64, "sluice: unknown API 'order'; did you mean 'orders'?\n"],
  );
  const address = await warmSluice(["asyncapi", "orders.yaml", "--server", "api.example.com"], { cwd });
  assert.equal(
    [address.status, address.stderr],
    [64, "sluice: expected an address such as https://api.example.com, got 'api.example.com'\n"],
  );
  const wrong = await warmSluice(["asyncapi", "misspelt.yaml"], { cwd });
  assert.equal([wrong.status, wrong.stdout], [1, ""]);
  assert.match(wrong.stderr, "misspelt.yaml");
});

test.run();
