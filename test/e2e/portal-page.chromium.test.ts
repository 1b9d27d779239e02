import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { keyedOrders } from "../harness/api-documents.ts";
import { chromium } from "../harness/chromium.ts";
import { temporaryDirectory } from "../harness/directories.ts";
import { httpServer } from "../harness/http-server.ts";
import { startMailServer } from "../harness/mail-server.ts";
import { newVisitor } from "../harness/visitor.ts";
import { eventually, until } from "../harness/wait.ts";
import { buildAndStart } from "./gateway.ts";

const hostile = "<img src=x onerror=alert(1)>";
const token = "the-token-of-administrators";
const password = "correct horse battery";
const settings = `streaming: { enabled: true }
apis: [orders.yaml]
store: "\${STORE}"
oauth: {}
portal: { enabled: true, organisation: acme, page: true, smtp: { from: portal@example.com } }
webhooks: { allow_private: true }
policies:
  - { id: readers, access_rights: { orders: {} }, rate: 1000, per: 60, quota_max: 500 }
  - { id: secret, access_rights: { orders: {} } }
`;
const folder = temporaryDirectory("portal-page");
writeFileSync(join(folder, "gateway.yaml"), settings);
writeFileSync(join(folder, "orders.yaml"), keyedOrders("{ portal_webhook: { event_type: order.created } }"));
const receiver = await httpServer();
const mailServer = await startMailServer();
const gateway = await buildAndStart([join(folder, "gateway.yaml")], {
  STORE: `sqlite:${join(folder, "gateway.db")}`,
  GW_PORTAL_ACCESS_TOKENS: token,
  GW_SMTP_URL: `smtp://127.0.0.1:${mailServer.port}`,
});
const portal = async <T = { Message: string }>(method: string, path: string, body?: unknown): Promise<T> => {
  const headers = { authorization: token, "content-type": "application/json" };
  const response = await fetch(`${gateway.url}/api/portal${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  assert.is(response.status, 200, await response.clone().text());
  return (await response.json()) as T;
};
const entry = { name: "Orders", policy_id: "readers", show: true, version: "v2", auth_type: "authToken" };
const document = {
  openapi: "3.1.0",
  info: { title: `Orders ${hostile}`, version: "2.0.0" },
  servers: [{ url: "http://elsewhere.example/orders" }],
  paths: {
    "/new": {
      post: {
        summary: "Places an order",
        requestBody: { content: { "application/json": { schema: { $ref: "#/components/schemas/Order" } } } },
        responses: { 200: { description: "taken" } },
      },
    },
  },
  components: {
    schemas: {
      Order: {
        type: "object",
        required: ["id"],
        properties: { id: { type: "integer" }, part: { $ref: "#/components/schemas/Order" } },
      },
    },
  },
};
const { Message: documentation } = await portal("POST", "/documentation", {
  documentation: Buffer.from(JSON.stringify(document)).toString("base64"),
});
await portal("POST", "/catalogue", {
  apis: [
    {
      ...entry,
      documentation,
      long_description: hostile,
      webhooks: { enabled: true, events: ["order.created"] },
    },
    { name: "Not for everybody", policy_id: "secret", show: false },
  ],
});
for (const name of ["ada", "bob"]) {
  await portal("POST", "/developers", { email: `${name}@example.com`, password });
}

const browser = await chromium();
const { page, complaints, unfit, rowsOf, press, says, follow, isFitForAll } = await newVisitor(browser);
const call = async (key: string) =>
  (
    await fetch(`${gateway.url}/orders/new`, {
      method: "POST",
      headers: { "x-api-key": key },
      body: '{"id":1}',
    })
  ).status;

async function logIn(name: string, word = password): Promise<void> {
  const form = page.locator("#login");
  await form.getByLabel("E-mail").fill(`${name}@example.com`);
  await form.getByLabel("Password", { exact: true }).fill(word);
  await press("Log in");
}

const refused = (text: string) => page.getByRole("alert").getByText(text).waitFor();
const secret = async () => (await page.locator("#secret .code span").first().textContent()) ?? "";

/** Checks how a portal with its own listener shows a document without a host. */
async function isHostLeftOpen(): Promise<void> {
  await page.route("**/entrance/abilities", async (asked) => {
    const abilities = await (await asked.fetch()).json();
    await asked.fulfill({ json: { ...abilities, apis_elsewhere: true } });
  });
  await page.route("**/readers/documentation", async (asked) => {
    const hostless = JSON.stringify({ ...document, servers: [{ url: "/orders" }] });
    await asked.fulfill({ json: { documentation: Buffer.from(hostless).toString("base64") } });
  });
  await page.reload();
  await page.getByText("put that of the gateway in place of GATEWAY").waitFor();
  const command = page.getByRole("region", { name: "POST /new as a command" });
  await eventually(() => command.innerText(), /^curl -X POST 'https:\/\/GATEWAY\/orders\/new'/);
  await page.unrouteAll();
  await page.reload();
  await command.getByText("http://elsewhere.example/orders/new").waitFor();
}

test("a developer logs in and requests access, and hidden entries cannot be requested", async () => {
  await page.goto(`${gateway.url}/portal`);
  await logIn("ada", "guess");
  await refused("Wrong e-mail address or password.");
  await isFitForAll("door");
  await logIn("ada");
  await page.getByRole("heading", { name: "Catalogue" }).waitFor();
  await page.getByText(hostile).waitFor();
  await eventually(() => rowsOf("#catalogue"), [["Orders", "v2", hostile, "Ask for access", "Read"]]);
  await isFitForAll("catalogue");
  await press("Ask for access: Orders");
  const form = page.locator("#asking");
  await page.waitForURL(/#\/\?ask=readers$/);
  await isFitForAll("asking");
  await form.getByLabel("Intended use").fill("Count orders");
  await page.route("**/own/requests", (route) =>
    route.fulfill({ status: 400, json: { Message: "`purpose` is too short." } }),
  );
  await form.getByRole("button", { name: "Ask for access" }).click();
  await form.getByText("`purpose` is too short.").waitFor();
  await eventually(() => form.getByLabel("Intended use").getAttribute("aria-invalid"), "true");
  await page.unroute("**/own/requests");
  await form.getByRole("button", { name: "Ask for access" }).click();
  await says("Asked. An administrator has to approve it.");
  await isFitForAll("catalogue with a request");
  await page.setViewportSize({ width: 320, height: 720 });
  const overflow = `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)`;
  await eventually(() => page.evaluate(`${overflow}(document.querySelector("td:has(.badge)"))`), 0);
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.getByRole("link", { name: "Already requested: Orders" }).click();
  const [asked = []] = await until(async () => {
    const rows = await rowsOf("#own");
    return rows.length > 0 && rows;
  });
  const on = await page.locator("#own time").first().getAttribute("datetime");
  assert.match(on ?? "", /^\d{4}-\d\d-\d\dT/);
  assert.equal([asked[0], asked[2], asked[3]], ["Orders", "waiting", "Withdraw"]);
  await isFitForAll("requests of the developer");
  await page.reload();
  await page.getByText("ada@example.com").waitFor();
  await page.getByRole("heading", { name: "Your requests" }).waitFor();
});

test("a list shows that it is loading, and the error if loading fails", async () => {
  let isHeld = true;
  let failing = true;
  await page.route("**/portal/own/requests*", async (route) => {
    await until(() => !isHeld, { what: "the answer" });
    if (failing) await route.abort();
    else await route.continue();
  });
  await page.reload();
  const list = page.locator(".card", { has: page.locator("#own") });
  await list.locator(".skeleton").waitFor();
  await eventually(() => list.getAttribute("aria-busy"), "true");
  await eventually(() => page.getByText("No requests yet").count(), 0);
  await isFitForAll("loading");
  isHeld = false;
  await page.getByRole("alert").getByText("Could not load “Requests”.").waitFor();
  await eventually(() => list.getAttribute("aria-busy"), "false");
  await eventually(() => page.getByText("No requests yet").count(), 0);
  await isFitForAll("failed");
  failing = false;
  await press("Try again");
  await until(async () => (await rowsOf("#own")).length === 1);
  await eventually(() => list.getByRole("alert").count(), 0);
  await page.unroute("**/portal/own/requests*");
});

test("an administrator approves the request, and the credential is shown once", async () => {
  await press("Log out");
  await page.getByLabel("Access token").fill("another");
  await press("Open the administration");
  await refused("This access token is not valid.");
  await page.getByLabel("Access token").fill(token);
  await press("Open the administration");
  const [row = []] = await until(async () => {
    const rows = await rowsOf("#requests");
    return rows.length > 0 && rows;
  });
  assert.equal([row[0], row[1], row[3]], ["Orders", "ada@example.com", "waiting"]);
  await isFitForAll("requests");
  await press(/^Details/);
  await page.locator("dialog[open]").waitFor();
  await eventually(() => page.locator("#fields").textContent(), /readers.*Count orders/);
  await page.getByRole("button", { name: "Close", exact: true }).click();
  await press(/^Approve/);
  const key = await secret();
  assert.is(await call("guess"), 403);
  assert.is(await call(key), 200);
  await isFitForAll("credential");
  await eventually(() => page.locator("#secret dt").allTextContents(), ["Key"]);
  await page.setViewportSize({ width: 360, height: 800 });
  const copy = await page.locator("#secret button").boundingBox();
  assert.ok((copy?.height ?? 99) < 40, `a button of ${copy?.height} pixels`);
  await page.setViewportSize({ width: 1280, height: 720 });
  await press("I have it");
  await until(async () => (await page.content()).includes(key) === false, { what: "no key on the page" });
  await page.getByLabel("Show").selectOption("approved");
  await until(async () => (await rowsOf("#requests"))[0]?.[3] === "approved");
  await page.getByLabel("Show").selectOption("waiting");
  await page.getByText("No pending requests").waitFor();
  for (const view of ["Developers", "Policies", "Catalogue", "E-mails", "Configuration"]) {
    await follow(view);
    await page.getByRole("heading", { name: view, level: 1 }).waitFor();
    await isFitForAll(view);
  }
});

test("a paginated list shows one page, and the last page when the current one no longer exists", async () => {
  let count = 45;
  await page.route("**/api/portal/requests?p=*", async (route) => {
    const query = new URL(route.request().url()).searchParams;
    const number = Number(query.get("p"));
    const all = Array.from({ length: count }, (_, row) => ({
      id: `r${row + 1}`,
      by_user: "ada",
      for_plan: `plan ${row + 1}`,
    }));
    const found = all.filter(({ for_plan: plan }) => plan.includes(query.get("q") ?? ""));
    const rows = query.get("sort") === "-name" ? found.toReversed() : found;
    await route.fulfill({
      json: { Data: rows.slice((number - 1) * 20, number * 20), Pages: Math.ceil(rows.length / 20) },
    });
  });
  await follow("Requests");
  await page.getByText("Page 1 of 3").waitFor();
  await eventually(() => page.locator(".pages").count(), 1);
  // The server sorts and searches, because that within a page would seem to apply to all entries.
  await page.locator("#requests thead button").first().click();
  await page.locator("#requests thead button").first().click();
  await until(async () => (await rowsOf("#requests"))[0]?.[0] === "plan 45");
  await page.getByLabel("Filter Requests").fill("plan 4");
  await until(async () => (await rowsOf("#requests")).length === 7);
  await page.getByLabel("Filter Requests").fill("none");
  await page.getByText("No row").waitFor();
  await page.getByLabel("Filter Requests").fill("");
  await page.locator("#requests thead button").first().click();
  await until(async () => (await rowsOf("#requests"))[0]?.[0] === "plan 1");
  await press("Next");
  await page.getByText("Page 2 of 3").waitFor();
  await press("Next");
  await until(async () => (await rowsOf("#requests"))[0]?.[0] === "plan 41");
  count = 30;
  await page.getByLabel("Show").selectOption("");
  await page.getByLabel("Show").selectOption("waiting");
  await page.getByText("Page 1 of 2").waitFor();
  await press("Next");
  await page.getByText("Page 2 of 2").waitFor();
  await page.waitForURL(/[?&]requests\.page=2/);
  count = 8;
  await page
    .getByRole("button", { name: /^Delete/ })
    .first()
    .click();
  await page.route("**/api/portal/requests/*", (route) => route.fulfill({ json: { Message: "" } }));
  await press("Delete it");
  await until(async () => (await rowsOf("#requests")).length === 8);
  await eventually(() => page.locator("#requests thead button").count(), 4);
  await page.getByLabel("Filter Requests").fill("plan 7");
  await eventually(async () => (await rowsOf("#requests")).map(([first]) => first), ["plan 7"]);
  await page.waitForURL(/[?&]requests\.filter=plan\+7$/);
  await page.unroute("**/api/portal/requests?p=*");
  await page.unroute("**/api/portal/requests/*");
});

test("a URL restores the view, its sorting and its filter, also after a login", async () => {
  const visit = async (view: string) => {
    await page.goto("about:blank");
    await page.goto(`${gateway.url}/portal/${view}`);
    await page.getByLabel("Access token").fill(token);
    await press("Open the administration");
  };
  const names = async () => (await rowsOf("#developers")).map(([name]) => name);
  await visit("#/developers?developers.sort=-E-mail");
  await until(async () => (await names()).join() === "bob@example.com,ada@example.com");
  await eventually(() => page.locator("#developers [aria-sort]").getAttribute("aria-sort"), "descending");
  await page.locator("#developers").getByRole("button", { name: "E-mail" }).click();
  await page.waitForURL(/#\/developers\?developers\.sort=E-mail$/);
  await eventually(() => names(), ["ada@example.com", "bob@example.com"]);
  await follow("Policies");
  await page.getByRole("heading", { name: "Policies", level: 1 }).waitFor();
  await page.goBack();
  await until(async () => (await names()).join() === "ada@example.com,bob@example.com");
  await page.goForward();
  await page.getByRole("heading", { name: "Policies", level: 1 }).waitFor();
  await visit("#/?show=approved");
  await press(/^Details/);
  await page.locator("#fields").waitFor();
  const address = new URL(page.url()).hash;
  assert.match(address, /^#\/\?show=approved&request=.+/);
  await visit(address);
  await page.locator("dialog[open] #fields").getByText("readers").waitFor();
  await page.goBack();
  await visit(address);
  await page.getByRole("button", { name: "Close", exact: true }).click();
  await until(() => new URL(page.url()).hash === "#/?show=approved", {
    what: "the address without the dialog",
  });
  await page.goto(`${gateway.url}/portal/#/policies?edit=gone`);
  await says("This policy does not exist.");
  await page.goto(`${gateway.url}/portal/#/nowhere`);
  await page.getByText("There is no such view.").waitFor();
  await isFitForAll("lost");
  await page.getByRole("link", { name: "Go to the first view" }).click();
  await page.getByRole("heading", { name: "Requests for access" }).waitFor();
});

test("the developer reads the documentation and tries it with a key that is replaced and revoked", async () => {
  await press("Log out");
  await logIn("ada");
  await page.getByText("You have access").waitFor();
  await follow("Your keys");
  await press(/^Replace/);
  await press("Replace it");
  const key = await secret();
  await press("I have it");
  assert.is(await call(key), 200);
  await eventually(async () => (await rowsOf("#keys")).length, 1);
  await page.getByText(/^\d+ left; never renewed$/).waitFor();
  await isFitForAll("keys");
  await follow("Catalogue");
  await page.getByRole("link", { name: "Read about Orders" }).click();
  await page.getByRole("heading", { name: `Orders ${hostile}` }).waitFor();
  await page.getByLabel("Your key").fill(key);
  await page.getByText("Places an order").click();
  const command = page.getByRole("region", { name: "POST /new as a command" });
  await eventually(
    () => command.innerText(),
    /^curl -X POST 'http:\/\/elsewhere\.example\/orders\/new' \\\n {2}-H 'Content-Type: .+/s,
  );
  await page.getByText("Try it").click();
  await page.getByLabel("Name of the header or parameter").fill("x-api-key");
  await press("Send");
  await page.locator(".tried .badge", { hasText: /^200 / }).waitFor();
  await isFitForAll("documentation");
  await isHostLeftOpen();
  const cookies = await page.context().cookies();
  await page.context().clearCookies();
  await follow("Your keys");
  await page.getByText("Your session has ended. Log in again.").waitFor();
  await isFitForAll("a session that has ended");
  await page.context().addCookies(cookies);
  await logIn("ada");
  await page.getByRole("heading", { name: "Your keys" }).waitFor();
  await eventually(() => page.getByText("Your session has ended.").count(), 0);
  await press(/^Revoke/);
  await press("Revoke it");
  await page.getByText("No keys yet").waitFor();
  await until(async () => (await call(key)) === 403, { what: "the end of the key" });
  await follow("Catalogue");
  await press("Ask for access: Orders");
  await page.locator("#asking").getByRole("button", { name: "Ask for access" }).click();
  await says("Asked. An administrator has to approve it.");
  const asked = await portal<{ Data: { id: string }[] }>("GET", "/requests?approved=false");
  await portal("PUT", `/requests/approve/${asked.Data[0]?.id}`);
});

test("the developer creates an app with a webhook, which receives the next event", async () => {
  await follow("Apps and webhooks");
  const form = page.locator("#new-app");
  await form.getByLabel("Name").fill("Shop");
  await form.getByLabel("Orders").check();
  await press("Create app");
  await page.getByLabel("Send events to").fill(`${receiver.url}/hook`);
  await page.getByLabel("order.created").check();
  await press("Add a webhook");
  await eventually(() => secret(), /^whsec_/);
  await press("I have it");
  await page.getByRole("button", { name: /^Disable/ }).waitFor();
  await isFitForAll("apps");
  const { Data } = await portal<{ Data: { keys: Record<string, unknown> }[] }>("GET", "/developers");
  assert.is(Object.keys(Data[0]?.keys ?? {}).length, 1);
  const { Message: id } = await portal("POST", "/requests", {
    by_user: await idOf("bob"),
    apply_policies: ["readers"],
  });
  const { RawKey } = await portal<{ RawKey: string }>("PUT", `/requests/approve/${id}`);
  assert.is(await call(RawKey), 200);
  const event = await until(() => receiver.requests.find(({ path }) => path === "/hook"), {
    what: "the event",
  });
  assert.is(event.body, '{"id":1}');
  await until(async () => {
    await press("Delivery log");
    await page.locator("dialog[open]").waitFor();
    const [attempt] = await rowsOf("#attempts");
    if (attempt === undefined) await page.getByRole("button", { name: "Close", exact: true }).click();
    return attempt !== undefined;
  });
  const [attempt = []] = await rowsOf("#attempts");
  assert.equal(
    [attempt[1], attempt[2], attempt[4]],
    ["order.created", "received (200)", event.headers["webhook-id"]],
  );
  await isFitForAll("delivery log");
  await page.getByRole("button", { name: "Close", exact: true }).click();
  await press(/^Disable/);
  await press("Disable it");
  await page.getByRole("button", { name: /^Enable/ }).click();
  await page.getByRole("button", { name: /^Disable/ }).waitFor();
  await press(`Delete: ${receiver.url}/hook`);
  await press(/^Delete$/);
  await page.getByRole("button", { name: /^Disable/ }).waitFor({ state: "detached" });
});

async function idOf(name: string): Promise<string> {
  return (await portal<{ id: string }>("GET", `/developers/email/${name}@example.com`)).id;
}

test("a developer cannot see or change records of another developer", async () => {
  const cookie = async (name: string) => {
    const response = await fetch(`${gateway.url}/portal/entrance/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ username: `${name}@example.com`, password }),
    });
    const [set = ""] = response.headers.getSetCookie();
    assert.match(set, /^portal_session=[\w-]{43}; Path=\/portal; Max-Age=\d+; HttpOnly; SameSite=Strict$/);
    return set.split(";", 1)[0] ?? "";
  };
  const [ada, bob] = [await cookie("ada"), await cookie("bob")];
  const own = async (method: string, path: string, by: string, headers = {}) =>
    fetch(`${gateway.url}/portal/own${path}`, { method, headers: { cookie: by, ...headers } });
  const apps = (await (await own("GET", "/apps", ada)).json()) as { Data: { id: string }[] };
  const [{ id } = { id: "" }] = apps.Data;
  assert.equal(((await (await own("GET", "/apps", bob)).json()) as { Data: [] }).Data, []);
  for (const [method, path] of [
    ["GET", `/apps/${id}/webhooks`],
    ["GET", `/apps/${id}`],
    ["DELETE", `/apps/${id}`],
  ] as const) {
    assert.is((await own(method, path, bob)).status, 404, path);
    assert.is((await own(method, path, "")).status, 401, path);
    assert.is((await own(method, path, "portal_session=guess")).status, 401, path);
    assert.is((await own(method, path, ada, { "sec-fetch-site": "cross-site" })).status, 403, path);
  }
  assert.is((await own("GET", `/apps/${id}/webhooks`, ada)).status, 200);
  const keys = (await (await own("GET", "/keys", ada)).json()) as { Data: { id: string; prefix: string }[] };
  const [key = { id: "", prefix: "" }] = keys.Data;
  assert.ok(key.id.startsWith(key.prefix));
  for (const [method, path] of [
    ["GET", `/keys/${key.id}`],
    ["DELETE", `/keys/${key.id}`],
    ["POST", `/keys/${key.id}/rotate`],
  ] as const) {
    assert.is((await own(method, path, bob)).status, 404, path);
    assert.is((await own(method, path, "")).status, 401, path);
  }
  for (const path of [`/apps/${id}`, `/keys/${key.id}`]) {
    assert.match((await own("GET", path, ada)).headers.get("etag") ?? "", /^"[\w-]{43}"$/);
    assert.is((await own("DELETE", path, ada, { "if-match": '"old"' })).status, 412, path);
  }
  assert.is((await own("GET", "/catalogue/secret/documentation", ada)).status, 404);
  assert.is((await own("GET", "/developers", ada)).status, 404);
  const asked = await own("POST", "/requests", ada, { "content-type": "application/json" });
  assert.is(asked.status, 400);
  assert.equal(complaints, []);
});

test("every view is accessible, in light and dark mode and on a phone screen", () => {
  assert.equal(unfit, []);
});

test.after(async () => {
  await browser.close();
  assert.is(await gateway.program.stop(), 0);
  await receiver.close();
  await mailServer.close();
});

test.run();
