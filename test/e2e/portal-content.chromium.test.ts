// What the portal shows of others' making: documentation of channels.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { apiOf, telling } from "../harness/api-documents.ts";
import { chromium } from "../harness/chromium.ts";
import { temporaryDirectory } from "../harness/directories.ts";
import { newVisitor } from "../harness/visitor.ts";
import { buildAndStart } from "./gateway.ts";

const token = "the-token-of-administrators";
const password = "correct horse battery";
const settings = `streaming: { enabled: true }
apis: [feed.yaml]
store: "\${STORE}"
portal: { enabled: true, organisation: acme, page: true }
policies:
  - { id: listeners, access_rights: { feed: {} } }
`;
const folder = temporaryDirectory("portal-content");
writeFileSync(join(folder, "gateway.yaml"), settings);
const talking = `talk:
  input: { http_server: { path: /say, ws_path: /talk } }
  pipeline: { processors: [{ mapping: root = content().uppercase() }] }
  output: { sync_response: {} }
`;
writeFileSync(join(folder, "feed.yaml"), apiOf(telling + talking, { id: "feed" }));
/** What is served at `/feed`, as its document says it. */
const feed = `asyncapi: 3.0.0
info: { title: Feed, version: 1.0.0 }
defaultContentType: application/json
servers: { gateway: { host: elsewhere.example, protocol: https, pathname: /feed } }
channels:
  tell: { address: /tell, messages: { note: { $ref: "#/components/messages/note" } } }
  events: { address: /events, messages: { note: { $ref: "#/components/messages/note" } } }
  talk: { address: /talk, bindings: { ws: {} }, messages: { note: { $ref: "#/components/messages/note" } } }
  far: { address: notes, servers: [{ $ref: "#/components/servers/broker" }] }
operations:
  tell:
    action: receive
    channel: { $ref: "#/channels/tell" }
    bindings: { http: { method: POST } }
    security: [{ $ref: "#/components/securitySchemes/key" }]
  hear: { action: send, channel: { $ref: "#/channels/events" }, bindings: { http: { method: GET } } }
  talk: { action: receive, channel: { $ref: "#/channels/talk" } }
components:
  servers: { broker: { host: kafka.example, protocol: kafka } }
  securitySchemes: { key: { type: httpApiKey, in: header, name: X-Api-Key, description: From this portal } }
  messages: { note: { title: Note, summary: What somebody says., payload: { $ref: "#/components/schemas/Note" } } }
  schemas:
    Note:
      type: object
      required: [text]
      properties:
        text: { type: string, maxLength: 9, example: hello }
        parts: { type: array, items: { $ref: "#/components/schemas/Note" } }
`;
const gateway = await buildAndStart([join(folder, "gateway.yaml")], {
  STORE: `sqlite:${join(folder, "gateway.db")}`,
  GW_PORTAL_ACCESS_TOKENS: token,
});
const send = (method: string, path: string, body: unknown) =>
  fetch(`${gateway.url}/api/portal${path}`, {
    method,
    headers: { authorization: token, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
const portal = async (method: string, path: string, body: unknown) => {
  const response = await send(method, path, body);
  assert.is(response.status, 200, await response.clone().text());
  return (await response.json()) as { Message: string };
};
await portal("POST", "/developers", { email: "ada@example.com", password });

const browser = await chromium();
const { page, complaints, unfit, press, isFitForAll } = await newVisitor(browser);

test("channels are documented, and followed as events and messages", async () => {
  const { Message: documentation } = await portal("POST", "/documentation", {
    documentation: Buffer.from(feed).toString("base64"),
  });
  await portal("POST", "/catalogue", {
    apis: [{ name: "Feed", policy_id: "listeners", show: true, documentation }],
  });
  await page.goto(`${gateway.url}/portal`);
  await page.locator("#login").getByLabel("E-mail").fill("ada@example.com");
  await page.locator("#login").getByLabel("Password", { exact: true }).fill(password);
  await press("Log in");
  await page.getByRole("link", { name: "Read about Feed" }).click();
  await page.getByRole("heading", { name: "Feed" }).waitFor();
  const open = async (path: string) => {
    const operation = page.locator("details.operation", {
      has: page.locator("summary code", { hasText: path }),
    });
    await operation.locator("summary").first().click();
    return operation;
  };
  const tell = await open("/tell");
  await tell.getByText("header X-Api-Key").waitFor();
  await tell.getByText("What somebody says.").waitFor();
  const words = (await tell.textContent()) ?? "";
  for (const part of ["text required string, 9 characters or fewer", "Note", "application/json"])
    assert.match(words, part);
  // What holds itself is opened step by step.
  await tell.locator("details", { hasText: "Note" }).getByText("Note", { exact: true }).first().click();
  await isFitForAll("channels");
  const hear = await open("/events");
  await hear.getByText("Try it").click();
  await hear.getByRole("button", { name: "Send" }).click();
  await hear.getByText("open", { exact: true }).waitFor();
  await tell.getByText("Try it").click();
  assert.is(await tell.getByLabel("Name of the header or parameter").inputValue(), "X-Api-Key");
  assert.equal(JSON.parse(await tell.getByLabel("Body").inputValue()), { text: "hello", parts: [null] });
  await tell.getByLabel("Body").fill('{"text":"first"}');
  await tell.getByRole("button", { name: "Send" }).click();
  await hear.locator(".traffic li", { hasText: '{"text":"first"}' }).waitFor();
  await isFitForAll("events");
  await hear.getByRole("button", { name: "Stop" }).click();
  await hear.getByText("stopped", { exact: true }).waitFor();
  const talk = await open("/talk");
  await talk.getByText("Try it").click();
  await talk.getByRole("button", { name: "Connect" }).click();
  await talk.getByText("connected", { exact: true }).waitFor();
  await talk.getByLabel("Message", { exact: true }).fill("louder");
  await talk.getByRole("button", { name: "Send the message" }).click();
  await talk.locator(".traffic .received pre", { hasText: "LOUDER" }).waitFor();
  assert.is(await talk.locator(".traffic .sent pre").textContent(), "louder");
  await isFitForAll("messages");
  await talk.getByRole("button", { name: "Stop" }).click();
  await talk.getByText("closed: 1000, done").waitFor();
  // A broker is nothing that a page could reach.
  const far = await open("notes");
  assert.is(await far.getByText("Try it").count(), 0);
});

test("every view can be used without a mouse or eyes, by day and by night, and with a telephone", () => {
  assert.equal(unfit, []);
  assert.equal(complaints, []);
});

test.after(async () => {
  await browser.close();
  assert.is(await gateway.program.stop(), 0);
});

test.run();
