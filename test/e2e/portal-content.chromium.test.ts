// Content that others supply to the portal: documentation of channels, themes, and text pages.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { apiOf, sharing } from "../harness/api-documents.ts";
import { chromium } from "../harness/chromium.ts";
import { temporaryDirectory } from "../harness/directories.ts";
import { newVisitor } from "../harness/visitor.ts";
import { eventually, until } from "../harness/wait.ts";
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
writeFileSync(join(folder, "feed.yaml"), apiOf(sharing + talking, { id: "feed" }));
/** The document that describes `/feed`. */
const feed = `asyncapi: 3.0.0
info: { title: Feed, version: 1.0.0, description: "Follow *all* notes.\\n\\n- <b>one</b>\\n- two" }
defaultContentType: application/json
servers:
  internal: { host: kafka.example, protocol: kafka }
  gateway: { host: elsewhere.example, protocol: https, pathname: /feed }
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
  messages: { note: { title: Note, summary: What **somebody** says., payload: { $ref: "#/components/schemas/Note" } } }
  schemas:
    Note:
      type: object
      required: [text]
      properties:
        text: { type: string, maxLength: 9, example: hello, description: Said *aloud*. }
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
const { page, complaints, unfit, press, follow, says, rowsOf, isFitForAll } = await newVisitor(browser);

async function logIn(): Promise<void> {
  await page.locator("#login").getByLabel("E-mail").fill("ada@example.com");
  await page.locator("#login").getByLabel("Password", { exact: true }).fill(password);
  await press("Log in");
}

test("channels are documented, and can be tried as events and as messages", async () => {
  const { Message: documentation } = await portal("POST", "/documentation", {
    documentation: Buffer.from(feed).toString("base64"),
  });
  await portal("POST", "/catalogue", {
    apis: [{ name: "Feed", policy_id: "listeners", show: true, documentation }],
  });
  await page.goto(`${gateway.url}/portal`);
  await logIn();
  await page.getByRole("link", { name: "Read about Feed" }).click();
  await page.getByRole("heading", { name: "Feed" }).waitFor();
  // CommonMark, as the specifications require; HTML markup stays text.
  await eventually(() => page.locator("main em").first().textContent(), "all");
  await eventually(() => page.locator("main .text li").allTextContents(), ["<b>one</b>", "two"]);
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
  await eventually(() => tell.locator("strong, em").allTextContents(), ["somebody", "aloud"]);
  const words = (await tell.textContent()) ?? "";
  for (const part of ["text required string, 9 characters or fewer", "Note", "application/json"])
    assert.match(words, part);
  const command = page.getByRole("region", { name: "POST /tell as a command" });
  await eventually(() => command.innerText(), /^curl -X POST 'https:\/\/elsewhere\.example\/feed\/tell'/);
  // Recursive schemas open step by step.
  await tell.locator("details", { hasText: "Note" }).getByText("Note", { exact: true }).first().click();
  await isFitForAll("channels");
  const hear = await open("/events");
  await hear.getByText("Try it").click();
  await hear.getByRole("button", { name: "Send" }).click();
  await hear.getByText("open", { exact: true }).waitFor();
  await tell.getByText("Try it").click();
  await eventually(() => tell.getByLabel("Name of the header or parameter").inputValue(), "X-Api-Key");
  await eventually(async () => JSON.parse(await tell.getByLabel("Body").inputValue()), {
    text: "hello",
    parts: [null],
  });
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
  await eventually(() => talk.locator(".traffic .sent pre").textContent(), "louder");
  await isFitForAll("messages");
  await talk.getByRole("button", { name: "Stop" }).click();
  await talk.getByText("closed: 1000, done").waitFor();
  // A page cannot connect to a broker.
  const far = await open("notes");
  await eventually(() => far.getByText("Try it").count(), 0);
});

/** A picture of one pixel. */
const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);

test("branding with low contrast and files that are not images are rejected", async () => {
  const problemsOf = async (branding: object) => {
    const response = await send("POST", "/branding", branding);
    const { Errors = [] } = (await response.json()) as { Errors?: string[] };
    return [response.status, ...Errors];
  };
  assert.equal(await problemsOf({ accent: "#ffff00" }), [
    422,
    "accent: its contrast with #eef2f5 is 1.0, and 4.5 is needed to read it",
  ]);
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>').toString("base64");
  assert.equal(await problemsOf({ logo: svg }), [422, "logo: must be a PNG, JPEG or WebP picture"]);
  assert.equal(await problemsOf({ logo: "no base64" }), [422, "logo: must be base64"]);
  const [status] = await problemsOf({ accent: "red; } body { display: none" });
  assert.is(status, 422);
  const text = { slug: "terms", title: "Terms", text: "" };
  const twice = await send("POST", "/texts", { pages: [text, text] });
  assert.is(twice.status, 422);
});

test("administrators set the name, the logo and the colours", async () => {
  await press("Log out");
  await page.getByLabel("Access token").fill(token);
  await press("Open the administration");
  await follow("Appearance");
  await page.getByLabel("Name").fill("Acme APIs");
  await page.getByLabel("Colour in light mode").fill("#ffff00");
  await press("Save");
  await page.getByText("its contrast with #eef2f5 is 1.0").waitFor();
  await eventually(() => page.getByLabel("Colour in light mode").getAttribute("aria-invalid"), "true");
  await page.getByLabel("Colour in light mode").fill("#8a1c7c");
  await page.getByLabel("Colour in dark mode").fill("#e7a7dd");
  await page.getByLabel("Logo").setInputFiles({ name: "logo.png", mimeType: "image/png", buffer: pixel });
  await page.getByLabel("Custom CSS").fill(".brand { letter-spacing: 1px; }");
  await press("Save");
  await says("Saved.");
  await page.locator(".brand", { hasText: "Acme APIs" }).waitFor();
  await eventually(() => page.evaluate("document.querySelector('.brand img').naturalWidth"), 1);
  await eventually(() => page.title(), "Appearance – Acme APIs");
  await isFitForAll("look");
  const spacing = () => page.evaluate("getComputedStyle(document.querySelector('.brand')).letterSpacing");
  await until(async () => (await spacing()) === "1px", { what: "the rules" });
  await eventually(
    () => page.evaluate("getComputedStyle(document.querySelector('main button.main')).backgroundColor"),
    "rgb(138, 28, 124)",
  );
});

test("text pages are Markdown, and HTML in them is not rendered", async () => {
  const text = `# Begin

<img src=x onerror=alert(1)> **Ask** [us](https://example.com/help), [or not](javascript:alert(1)). ![A picture](https://example.com/x.png)

1. one
2. two &amp; three

| name | value |
|---|---|
| <b>a</b> | \`b\` |

<script>alert(1)</script>
`;
  await follow("Pages");
  await page.getByText("No pages yet").waitFor();
  await press("New page");
  const form = page.locator("#text-page");
  await form.getByLabel("Title").fill("First steps");
  await form.getByLabel("Address").fill("First steps");
  await form.getByLabel("Text (Markdown)").fill(text);
  await form.getByRole("heading", { name: "Begin" }).waitFor();
  await isFitForAll("editing a page");
  await press("Save");
  await until(async () => (await form.getByLabel("Address").getAttribute("aria-invalid")) === "true");
  await form.getByLabel("Address").fill("first-steps");
  await press("Save");
  await says("Saved.");
  await isFitForAll("pages");
  await press("Log out");
  await logIn();
  await follow("First steps");
  await page.waitForURL(/#\/text\/first-steps$/);
  const article = page.locator("article");
  await article.getByRole("heading", { name: "Begin", level: 2 }).waitFor();
  const shown = (await article.textContent()) ?? "";
  for (const part of [
    "<img src=x onerror=alert(1)>",
    "or not",
    "two & three",
    "<b>a</b>",
    "<script>alert(1)</script>",
  ])
    assert.match(shown, part);
  await eventually(() => article.locator("img, script, b").count(), 0);
  await eventually(
    () => page.evaluate("[...document.querySelectorAll('article a')].map(({ href }) => href)"),
    ["https://example.com/help"],
  );
  await eventually(
    () => page.getByRole("link", { name: "First steps" }).getAttribute("aria-current"),
    "page",
  );
  await isFitForAll("text");
  await page.goto(`${gateway.url}/portal/#/text/gone`);
  await page.getByText("There is no such view.").waitFor();
});

test("e-mail templates are edited in forms with a preview", async () => {
  await press("Log out");
  await page.getByLabel("Access token").fill(token);
  await press("Open the administration");
  await follow("E-mail texts");
  await page.getByRole("heading", { name: "E-mail texts", level: 1 }).waitFor();
  await press("Edit: Access");
  const dialog = page.getByRole("dialog");
  const preview = dialog.getByRole("region", { name: "Preview" });
  await dialog.getByLabel("Send this e-mail").check();
  await dialog.getByLabel("Subject").fill("Hello {{other}}");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("unknown placeholder {{other}}; known here are {{email}}, {{portal}}").waitFor();
  await eventually(() => dialog.getByLabel("Subject").getAttribute("aria-invalid"), "true");
  await eventually(() => preview.locator("mark").allTextContents(), ["{{other}}"]);
  await dialog.getByLabel("Subject").fill("Hello ");
  await dialog.getByRole("button", { name: "{{email}}" }).click();
  await dialog.getByLabel("Text", { exact: true }).fill("Here is your key.");
  await preview.getByText("Hello ada@example.com").waitFor();
  await preview.getByText("Key: 3f9a…").waitFor();
  await dialog.getByLabel(/^Do not include the credential/).check();
  await eventually(() => preview.getByText("Key: 3f9a…").count(), 0);
  await isFitForAll("e-mail");
  await dialog.getByRole("button", { name: "Save" }).click();
  await says("Saved.");
  await page.locator("#sender").getByLabel("Name").fill("Feeds");
  await press("Save");
  await isFitForAll("e-mails");
  await follow("Audit log");
  await page.getByRole("heading", { name: "Audit log", level: 1 }).waitFor();
  await page.getByText("Changed the settings").first().waitFor();
  await isFitForAll("audit log");
  const kept = async () => {
    const response = await fetch(`${gateway.url}/api/portal/configuration`, {
      headers: { authorization: token },
    });
    const { mail_options: mail } = (await response.json()) as { mail_options: { mail_from_name?: string } };
    return mail.mail_from_name === "Feeds" ? mail : undefined;
  };
  assert.equal(await until(kept), {
    mail_from_name: "Feeds",
    mail_from_email: "",
    email_copy: {
      key_email: {
        enabled: true,
        subject: "Hello {{email}}",
        body: "Here is your key.",
        hide_token_data: true,
      },
    },
  });
});

test("a policy can be edited in a form or as JSON, and errors are shown at their field", async () => {
  const stored = async () => {
    const response = await fetch(`${gateway.url}/api/portal/policies`, { headers: { authorization: token } });
    const { Data } = (await response.json()) as { Data: readonly Readonly<Record<string, unknown>>[] };
    const [{ id, org_id: _, ...policy } = {}] = Data;
    path = `/policies/${String(id)}`;
    return policy;
  };
  let path = "";
  const fill = async (label: string, text: string) => page.getByLabel(label, { exact: true }).fill(text);
  const closed = () => until(async () => (await page.locator("dialog[open]").count()) === 0);
  await follow("Policies");
  await press("New policy");
  await fill("Name", "Writers");
  await fill("Rate limit: requests", "5");
  await fill("Rate limit: period", "2");
  await page.getByLabel("Rate limit: period: unit").selectOption("minutes");
  await fill("Quota: requests", "1000");
  await fill("Quota: renewed after", "30");
  await page.getByLabel("Quota: renewed after: unit").selectOption("days");
  await press("Save");
  await page.getByText("This field is required.").waitFor();
  await fill("API ID", "orders");
  await fill("Paths", "GET,HEAD ^/orders\n^/items");
  await press("Add an API");
  await page.getByLabel("API ID").nth(1).fill("orders");
  await press("Save");
  await page.getByText("This API is listed twice.").waitFor();
  await isFitForAll("policy");
  await press("Remove API 2");
  await press("Save");
  await closed();
  const rights = {
    api_id: "orders",
    allowed_urls: [{ url: "^/orders", methods: ["GET", "HEAD"] }, { url: "^/items" }],
  };
  const policy = { name: "Writers", rate: 5, per: 120, quota_max: 1000, quota_renewal_rate: 2_592_000 };
  await eventually(() => stored(), { ...policy, access_rights: { orders: rights } });
  await press("Edit: Writers");
  await eventually(() => page.getByLabel("Rate limit: period", { exact: true }).inputValue(), "2");
  await fill("Rate limit: requests", "7");
  await press("Edit as JSON");
  const json = page.getByLabel("Policy as JSON");
  const shown = JSON.parse(await json.inputValue());
  assert.equal([shown.rate, shown.access_rights.orders.allowed_urls.length], [7, 2]);
  await json.fill("{");
  await press("Edit in the form");
  await page.getByText("This is not valid JSON").waitFor();
  await json.fill(JSON.stringify({ ...shown, rate: "five" }));
  await press("Save");
  await page.getByRole("alert").waitFor();
  await eventually(() => page.getByRole("alert").textContent(), /rate/);
  await json.fill(JSON.stringify({ ...shown, tags: ["kept"], access_rights: { orders: { versions: [] } } }));
  await press("Edit in the form");
  await page.getByText("No version may be called.").waitFor();
  await fill("Rate limit: requests", "");
  await press("Save");
  await closed();
  const { rate: _, per: __, ...unlimited } = policy;
  await eventually(() => stored(), {
    ...unlimited,
    tags: ["kept"],
    access_rights: { orders: { versions: [], api_id: "orders" } },
  });
  await eventually(async () => (await rowsOf("#policies"))[0]?.slice(2, 4), ["orders", "no limit"]);
  // Two administrators change and delete the same policy.
  await press("Edit: Writers");
  await page.getByLabel("Name", { exact: true }).waitFor();
  await portal("PUT", path, { name: "Writers", access_rights: {} });
  await press("Save");
  await eventually(() => page.getByRole("alert").textContent(), /has changed this since/);
  await press("Cancel");
  await press("Delete: Writers");
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.locator("#message", { hasText: "Somebody else has changed this" }).waitFor();
  await eventually(async () => (await rowsOf("#policies"))[0]?.[2], "");
  await portal("DELETE", path, undefined);
  await press("Delete: Writers");
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await says("Could not retrieve portal object.");
  await until(async () => (await rowsOf("#policies")).map(([name]) => name).join() === "listeners");
  await eventually(() => page.evaluate("document.activeElement.textContent"), "Policies");
  await eventually(
    async () => (await rowsOf("#policies"))[0]?.slice(1),
    ["listeners", "feed", "no limit", "none", "in gateway.yaml"],
  );
  await follow("Catalogue");
  await press("New entry");
  await fill("Name", "Refunds");
  await fill("Policy ID", "writers");
  await press("Save");
  await page.getByText("There is no such policy.").waitFor();
  await press("Cancel");
});

test("the portal is configured in a form, which keeps settings that it does not show", async () => {
  const read = async (path: string) => {
    const response = await fetch(`${gateway.url}/api/portal${path}`, { headers: { authorization: token } });
    const { id: _, org_id: __, ...document } = (await response.json()) as Readonly<Record<string, unknown>>;
    return document;
  };
  const odd = { name: "size", label: "Size", choices: ["S", "M"] };
  await portal("PUT", "/configuration", {
    signup_fields: ["team", odd],
    disable_signup: true,
    email: "we@example.com",
  });
  await follow("Configuration");
  const questions = page.getByLabel("Questions at sign-up");
  await eventually(() => questions.inputValue(), "team");
  await eventually(() => page.getByLabel("Developers can sign up").isChecked(), false);
  await page.getByLabel("Requests need approval").uncheck();
  await page.getByLabel("Developers can sign up").check();
  await page.getByLabel("Valid tokens of an OAuth client").fill("3");
  await questions.fill("team\n\ncompany: Your company *\nage *");
  await press("Save");
  await says("Saved.");
  const written = {
    require_key_approval: false,
    enable_multi_selection: false,
    disable_signup: false,
    disable_auto_login: false,
    oauth_usage_limit: 3,
    signup_fields: [
      "team",
      { name: "company", label: "Your company", required: true },
      { name: "age", label: "age", required: true },
      odd,
    ],
    email: "we@example.com",
  };
  await eventually(() => read("/configuration"), written);
  await isFitForAll("configuration");
  await press("Edit as JSON");
  const json = page.getByLabel("Configuration as JSON");
  await eventually(async () => JSON.parse(await json.inputValue()), written);
  await json.fill(JSON.stringify({ ...written, redirect_to: "/x", require_key_approval: 1 }));
  await press("Save");
  await page.getByRole("alert").waitFor();
  await json.fill(JSON.stringify({ ...written, redirect_to: "/x" }));
  await press("Edit in the form");
  await eventually(() => questions.inputValue(), "team\ncompany: Your company *\nage *");
  await press("Save");
  await says("Saved.");
  await eventually(() => read("/configuration"), { ...written, redirect_to: "/x" });
});

test("a catalogue entry keeps its credential type, even one that the form cannot create", async () => {
  const entry = { name: "Signed", policy_id: "listeners", show: false, auth_type: "hmac" };
  await portal("PUT", "/catalogue", { apis: [entry] });
  await page.reload();
  await page.getByLabel("Access token").fill(token);
  await press("Open the administration");
  await follow("Catalogue");
  await press("Edit: Signed");
  const kind = page.getByLabel("Credential");
  await eventually(
    () => kind.locator("option").evaluateAll((all) => all.map((each) => each.getAttribute("value"))),
    ["authToken", "basic", "oauth", "jwt", "hmac", "mutualTLS"],
  );
  await eventually(() => kind.inputValue(), "hmac");
  await press("Save");
  await until(async () => (await page.locator("dialog[open]").count()) === 0);
  const response = await fetch(`${gateway.url}/api/portal/catalogue`, { headers: { authorization: token } });
  const { apis } = (await response.json()) as { apis: readonly { auth_type?: string }[] };
  assert.equal(
    apis.map(({ auth_type: type }) => type),
    ["hmac"],
  );
});

test("every view is accessible, in light and dark mode and on a phone screen", () => {
  assert.equal(unfit, []);
  assert.equal(complaints, []);
});

test.after(async () => {
  await browser.close();
  assert.is(await gateway.program.stop(), 0);
});

test.run();
