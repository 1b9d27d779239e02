import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { chromium } from "../harness/chromium.ts";
import { temporaryDirectory } from "../harness/directories.ts";
import { startSluice } from "../harness/sluice.ts";
import { problemsOf } from "../harness/visitor.ts";
import { eventually, until } from "../harness/wait.ts";

const hostile = "<img src=x onerror=alert(1)>";
const key = "the-key-of-this-test";
const folder = temporaryDirectory("management-page");
writeFileSync(join(folder, "management.yaml"), "tail: { enabled: true, redact: [birthday] }\n");
const served = startSluice(["serve", "management.yaml", "--all-in-one"], {
  cwd: folder,
  env: {
    GW_LISTEN: "127.0.0.1:0",
    GW_ADMIN_LISTEN: "127.0.0.1:0",
    GW_MANAGEMENT_API_KEYS: key,
    GW_MANAGEMENT_LISTEN: "127.0.0.1:0",
    GW_MANAGEMENT_STREAMING_ENABLED: "true",
    GW_STORE_URL: `sqlite:${join(folder, "management.db")}`,
    GW_LOG_LEVEL: undefined,
  },
});
const [, address = ""] = await served.matching(/"management":"([^"]+)"/);
const [, gateway = ""] = await served.matching(/"gateway":"(http[^"]+)"/);

const browser = await chromium();
const page = await browser.newPage();
/** Refusals of the browser, and errors of scripts. */
const complaints: string[] = [];
page.on("pageerror", (error) => complaints.push(String(error)));
page.on("console", (line) => {
  // The browser itself logs each request that the service refuses.
  if (line.type() === "error" && !line.text().startsWith("Failed to load resource"))
    complaints.push(line.text());
});

function definition(name: string, mapping: string): string {
  return `openapi: 3.1.0
info: { title: Orders, version: 1.0.0 }
paths: {}
x-gw-api-gateway:
  info: { name: "${name}", id: orders, state: { active: true } }
  server: { listenPath: { value: /orders/ } }
x-gw-streaming:
  streams:
    intake:
      input: { label: placed_orders, http_server: { path: /new } }
      pipeline:
        processors:
          - mapping: ${mapping}
      output: { drop: {} }
`;
}

const protectedDefinition = `openapi: 3.1.0
info: { title: Orders, version: 1.0.0 }
components:
  securitySchemes:
    key: { type: apiKey, in: header, name: X-Key }
    other: { type: apiKey, in: header, name: X-Other }
security: [{ key: [] }]
paths:
  /items/{id}:
    get: { security: [{ key: [] }, { other: [] }] }
  /levels:
    get: { security: [] }
x-gw-api-gateway:
  info: { name: Orders, id: orders, state: { active: true } }
  server: { listenPath: { value: /orders/ } }
  upstream: { url: "http://127.0.0.1:9" }
x-gw-streaming:
  streams:
    changes:
      input: { http_server: { path: "/items/{item}", ws_path: /talk, allowed_verbs: [GET, POST] } }
      output: { drop: {} }
`;

async function ask(method: string, path: string, body?: string, headers = {}): Promise<Response> {
  const type = { "content-type": "application/vnd.gw.streams.oas" };
  const answer = await fetch(`${address}/api/apis/streams${path}`, {
    method,
    headers: { authorization: key, ...type, ...headers },
    ...(body !== undefined && { body }),
  });
  assert.is(answer.status, 200, await answer.clone().text());
  return answer;
}

/** Problems for people who use no mouse, cannot see, or use a phone. */
const unfit: string[] = [];

async function isFitForAll(view: string): Promise<void> {
  unfit.push(...(await problemsOf(page)).map((problem) => `${view}: ${problem}`));
}

const press = (name: string | RegExp) => page.getByRole("button", { name }).click();
const textOf = async (selector: string) => (await page.locator(selector).textContent()) ?? "";
const says = (text: string) => until(async () => (await textOf("#message")) === text, { what: text });
const shows = (selector: string, text: string) =>
  until(async () => (await textOf(selector)) === text, { what: `${text} at ${selector}` });
const problems = () => page.locator("#problems button").allTextContents();
const content = page.locator("#editor .cm-content");

/** Waits until the cursor of the editor is on the line. */
async function isAtLine(line: string): Promise<void> {
  const active = page.locator("#editor .cm-activeLineGutter").first();
  await until(async () => (await active.textContent()) === line, { what: `line ${line}` });
}

async function write(text: string): Promise<void> {
  await content.click();
  await page.keyboard.press("Control+A");
  // When typing replaces a selection, Chromium keeps its look by an inline style, which the content policy forbids.
  await page.keyboard.press("Delete");
  await page.keyboard.insertText(text);
}

test("the page asks for a key, and keeps it in memory only", async () => {
  await page.goto(`${address}/#/audit`);
  await page.getByLabel("API key").fill("guess");
  await press("Show the APIs");
  await page.getByRole("alert").getByText("The service does not take this key.").waitFor();
  await isFitForAll("door");
  await page.getByLabel("API key").fill(key);
  await press("Show the APIs");
  await page.getByRole("heading", { name: "Audit log" }).waitFor();
  await page.getByRole("link", { name: "APIs", exact: true }).click();
  await page.getByText("No APIs yet").waitFor();
  await isFitForAll("empty list");
  const kept = await page.evaluate("JSON.stringify([localStorage, sessionStorage, document.cookie])");
  assert.is(kept, '[{},{},""]');
  assert.not.ok((await page.content()).includes(key));
});

test("a new API starts valid, and problems are shown at their line while typing", async () => {
  await page.getByRole("link", { name: "New API" }).first().click();
  await until(async () => (await textOf("#summary")) === "Nothing is wrong.");
  await write(definition(hostile, "root.a = this.b.uppercased()"));
  const [problem = ""] = await until(async () => {
    const found = await problems();
    return found.length > 0 && found;
  });
  assert.match(problem, /^13:\d+ /);
  assert.match(problem, "Did you mean `uppercase`?");
  await shows("#summary", "1 error");
  await shows("#editor .cm-lintRange-error", "uppercased");
  await page.keyboard.press("Control+Home");
  await page.locator("#problems button").first().click();
  await isAtLine("13");
  await press("Save");
  await says("Not saved: the definition has errors.");
});

test("the editor completes with the language server, and formats scripts", async () => {
  await write(definition("open", '|\n              root.a   =   "b".upp'));
  await page.locator("#editor .cm-line").nth(13).click();
  await page.keyboard.press("End");
  await page.keyboard.press("Control+Space");
  await page.locator("#editor .cm-tooltip-autocomplete").getByText("uppercase", { exact: true }).waitFor();
  await page.keyboard.press("Enter");
  await press("Format");
  await page.locator("#editor .cm-line").getByText('root.a = "b".uppercase()').waitFor();
});

test("a mapping in a document has highlighting and hovers", async () => {
  await page.locator("#editor .tok-method").getByText("uppercase").hover();
  await page.locator("#editor .cm-tooltip-hover").getByText("uppercase(").first().waitFor();
  const colourOf = (name: string) =>
    page.evaluate(
      `getComputedStyle(document.querySelector("#editor").shadowRoot.querySelector("${name}")).color`,
    );
  const colours = await Promise.all([".tok-method", ".tok-string", ".cm-content"].map(colourOf));
  assert.is(new Set(colours).size, 3);
  await page.keyboard.press("Escape");
});

test("the callers of each route are shown while typing, and hidden while there are errors", async () => {
  const rows = async () => {
    const all = await page.locator("#route-table tbody tr").all();
    return Promise.all(all.map((row) => row.locator("th, td").allTextContents()));
  };
  await write(definition("open", "root.a = this.b.uppercased()"));
  await until(async () => (await page.locator("#routes").count()) === 0);
  await write(definition("open", "root = this"));
  await page.locator("#routes").waitFor();
  await eventually(() => rows(), [["/orders/new", "POST", "intake", "open"]]);
  await write(protectedDefinition);
  await until(async () => (await rows()).length > 1, { what: "the routes of the other text" });
  await eventually(
    () => rows(),
    [
      ["/orders/items/{item}", "GET, POST", "changes", "GET: key or other; POST: key"],
      ["/orders/talk", "WebSocket", "changes", "key"],
      ["/orders/levels", "GET", "upstream", "open"],
      ["/orders/*", "all others", "upstream", "key"],
    ],
  );
});

test("an API is saved by keyboard and listed, and its name is rendered as text", async () => {
  await write(definition(hostile, "root = this"));
  await until(async () => (await textOf("#summary")) === "Nothing is wrong.");
  await page.keyboard.press("Control+S");
  await says("The API is created, and goes live.");
  await shows("#version", "version 1");
  assert.is(await (await ask("GET", "/orders")).text(), definition(hostile, "root = this"));
  await page.getByRole("link", { name: "All APIs" }).click();
  const link = page.getByRole("link", { name: hostile });
  await link.waitFor();
  await isFitForAll("list");
  await eventually(() => page.locator("main img").count(), 0);
  await link.click();
});

test("a stream is drawn, also listed as text, and leads to its lines", async () => {
  const picture = page.getByRole("img", { name: "Topology of intake: 3 components" });
  await picture.waitFor();
  // New states redraw the picture, so wait for its contents.
  const components = () => page.locator("figure .node .component").allTextContents();
  await until(async () => (await components()).join() === "http_server,mapping,drop", {
    what: "the picture",
  });
  await isFitForAll("API");
  await page.locator("figure .node").nth(2).click();
  await isAtLine("14");
  await page.getByText("The same as a list").click();
  const entry = page.getByRole("button", {
    name: "input http_server “placed_orders”: /new; callers: open (line 10)",
  });
  await entry.focus();
  await page.keyboard.press("Enter");
  await isAtLine("10");
  await eventually(() => page.locator("figure li").first().textContent(), /→ mapping/);
});

test("a conflicting save of someone else is not overwritten without confirmation", async () => {
  await ask("PUT", "/orders", definition("theirs", "root = this"));
  await write(definition("mine", "root = this"));
  await press("Save");
  await page.getByRole("heading", { name: "Someone else has changed this API" }).waitFor();
  await press("Keep editing");
  assert.match(await (await ask("GET", "/orders")).text(), '"theirs"');
  await press("Save");
  await press("Discard mine, show theirs");
  await until(async () => (await content.textContent())?.includes('"theirs"'));
  await write(definition("mine", "root = this"));
  await ask("PUT", "/orders", definition("theirs again", "root = this"));
  await press("Save");
  await press("Overwrite with mine");
  await says("Saved; the new version goes live.");
  assert.match(await (await ask("GET", "/orders")).text(), '"mine"');
  await shows("#version", "version 4");
});

test("leaving unsaved changes asks for confirmation, and Tab leaves the editor", async () => {
  await write(definition("unsaved", "root = this"));
  await page.keyboard.press("Tab");
  await eventually(() => page.evaluate(`document.activeElement.id === "editor"`), false);
  await page.getByRole("link", { name: "All APIs" }).click();
  await page.getByRole("heading", { name: "Leave without saving?" }).waitFor();
  await press("Stay");
  await eventually(() => content.textContent(), /unsaved/);
  await page.getByRole("link", { name: "All APIs" }).click();
  await press("Discard changes");
  await page.getByRole("link", { name: "mine" }).click();
  await until(async () => (await content.textContent())?.includes('"mine"'));
});

test("states and rates of streams are shown, and operators can stop and start streams", async () => {
  const cells = () => page.locator("#stream-table tbody td").allTextContents();
  await until(async () => (await cells())[0] === "running", { what: "a stream that runs" });
  await until(
    async () => {
      assert.is((await send({ id: 1 })).status, 200);
      return Number((await cells())[1]) > 0 && Number((await cells())[4]) > 0;
    },
    { what: "a rate and what was written" },
  );
  await press("Stop: intake");
  await press("Stop it");
  await says("Requested: stop intake.");
  await until(async () => (await cells())[0] === "stopped", { what: "a stream that was stopped" });
  await press("Start: intake");
  await until(async () => (await cells())[0] === "running", { what: "a stream that runs again" });
  await press("Restart: intake");
  await press("Restart it");
  await says("Requested: restart intake.");
  await until(async () => (await cells())[0] === "running", { what: "a stream that was restarted" });
  await page.route("**/api/streams?*", async (asked) => {
    const { Data } = await (await asked.fetch()).json();
    const failed = {
      state: "blocked",
      reason: "delivery_failed: no broker, in output.kafka (orders.yaml:9)",
    };
    await asked.fulfill({ json: { Data: [{ ...Data[0], ...failed }] } });
  });
  const why = "Delivery failed: no broker, in output.kafka (orders.yaml:9)";
  await page.locator("#stream-table .note", { hasText: why }).waitFor();
  await page.unrouteAll({ behavior: "wait" });
  await until(async () => (await cells())[0] === "running", { what: "a stream as it is" });
});

test("messages are shown live, as text and with secrets masked", async () => {
  await press("Watch: intake");
  const message = { id: 7, note: hostile, api_key: "do not show this", birthday: "nor that" };
  const shown = page.locator("#messages li", { hasText: '"id":7' });
  await until(
    async () => {
      await send(message, { "x-session-token": "nor this one" });
      return (await shown.count()) > 0;
    },
    { what: "a message" },
  );
  const text = (await shown.first().textContent()) ?? "";
  assert.match(text, `"note":${JSON.stringify(hostile)}`);
  assert.match(text, "all-in-one");
  const all = (await page.locator("#messages").textContent()) ?? "";
  for (const secret of ["do not show", "nor that", "nor this one"]) assert.not.match(all, secret);
  assert.match(all, "•••");
  await eventually(() => page.locator("#messages img").count(), 0);
  await isFitForAll("messages");
  await press("Stop watching");
  await eventually(() => page.locator("#messages li").count(), 0);
});

async function send(body: object, headers = {}): Promise<Response> {
  return fetch(`${gateway}/orders/new`, { method: "POST", headers, body: JSON.stringify(body) });
}

test("earlier versions are listed, and can be rolled back to", async () => {
  await press("Versions");
  await until(async () => (await page.locator("#versions tbody tr").count()) === 4, {
    what: "four versions",
  });
  await isFitForAll("versions");
  await press("Roll back: version 1");
  await press("Roll back to it");
  await says("The text of version 1 goes live.");
  await shows("#version", "version 5");
  assert.is(await (await ask("GET", "/orders")).text(), definition(hostile, "root = this"));
});

test("deployments, users and the audit log have their own views", async () => {
  await page.getByRole("link", { name: "Deployments" }).click();
  await until(async () => (await page.locator("#deployments tbody tr").count()) > 1, { what: "deployments" });
  await page.locator("#gateways").getByText("all-in-one").waitFor();
  await page
    .getByRole("button", { name: /^Details: deployment/ })
    .first()
    .click();
  const dialog = page.locator("dialog[open]");
  await dialog.locator("#deployment-outcomes").getByText("applied").waitFor();
  await page.waitForURL(/#\/deployments\?deployment=\d+$/);
  await dialog.locator("#deployment-apis").getByRole("link", { name: "orders" }).waitFor();
  await isFitForAll("deployment");
  await dialog.getByRole("button", { name: "Close", exact: true }).click();
  await isFitForAll("deployments");
  await page.getByRole("link", { name: "Users" }).click();
  await press("New user");
  await page.getByLabel("Name").fill("robot");
  await press("Make the user");
  const given = (await page.locator("dialog .code span").first().textContent()) ?? "";
  const asked = await fetch(`${address}/api/streams`, { headers: { authorization: given } });
  assert.is(asked.status, 200);
  await press("I have it");
  await press("Change: robot");
  await page.getByLabel("read: looks at everything").uncheck();
  await press("Add a rule for single APIs");
  await page.getByLabel("APIs", { exact: true }).fill("order*");
  await isFitForAll("rights of a user");
  await press("Save");
  await says("Saved.");
  await page.locator("#users").getByText("order*: read").waitFor();
  const statusOf = async (path: string) =>
    (await fetch(`${address}/api${path}`, { headers: { authorization: given } })).status;
  assert.equal([await statusOf("/apis/streams/orders"), await statusOf("/users")], [200, 403]);
  await isFitForAll("users");
  await press("Delete: robot");
  await press("Delete the user");
  await page.getByText("No users yet").waitFor();
  await page.getByRole("link", { name: "Audit log" }).click();
  await page.locator("#audit").getByText("rollBackStreamApi").first().waitFor();
  await isFitForAll("audit log");
  await page.getByRole("link", { name: "APIs", exact: true }).click();
  await page.locator("#api-table").getByRole("link").click();
});

test("an API is published and deleted", async () => {
  await press("Publish");
  await page.getByLabel("Name (default: the name of the API)").fill("Orders of all shops");
  await page.getByLabel("Policy that grants access").fill("readers");
  await page.locator("#offer").getByRole("button", { name: "Publish" }).click();
  await page.getByText("Published, but the portal stores no policy “readers”.").waitFor();
  await press("Delete");
  await press("Delete it");
  await says("Deleted.");
  await page.getByText("No APIs yet").waitFor();
});

test("the page runs no injected code, loads nothing from other origins, and logs no errors", async () => {
  const answer = await fetch(address);
  const policy = answer.headers.get("content-security-policy") ?? "";
  assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'/);
  assert.not.match(policy, "unsafe");
  assert.equal(complaints, []);
  const title = await page.evaluate(`{
    const script = document.createElement("script");
    script.textContent = "document.title = 'taken over'";
    document.body.append(script);
    document.title;
  }`);
  assert.is(title, "Streaming APIs – Sluice management");
  for (const path of ["/nothing", "/page.js/x", "/browser/main.ts"]) {
    assert.is((await fetch(`${address}${path}`)).status, 404, path);
  }
  assert.is((await fetch(address, { method: "POST" })).status, 405);
  const { headers } = await fetch(`${address}/page.js`);
  const known = { "if-none-match": headers.get("etag") ?? "" };
  assert.is((await fetch(`${address}/page.js`, { headers: known })).status, 304);
  const scripts = ["br", "gzip", "identity"].map(async (encoding) => {
    const script = await fetch(`${address}/page.js`, { headers: { "accept-encoding": encoding } });
    return [script.headers.get("content-encoding") ?? "identity", await script.text()];
  });
  const [[, text], ...others] = (await Promise.all(scripts)) as [[string, string], ...[string, string][]];
  assert.equal(others, [
    ["gzip", text],
    ["identity", text],
  ]);
});

/** Appends a text in the editor, whose check ends the session, and enters again. */
async function appendAndReturn(text: string): Promise<void> {
  await content.click();
  await page.keyboard.press("Control+End");
  const ended = (route: { fulfill(answer: object): Promise<void> }) =>
    route.fulfill({ status: 401, body: "{}" });
  await page.route("**/api/apis/streams/validate**", ended);
  await page.keyboard.insertText(text);
  await page.getByLabel("API key").fill(key);
  await page.unroute("**/api/apis/streams/validate**", ended);
  await press("Show the APIs");
}

test("a text that was not saved is back after the session has ended", async () => {
  await page.evaluate("location.hash = '#/new'");
  // The session ends with the check of the changed text, not with that of the first one.
  await shows("#summary", "Nothing is wrong.");
  await appendAndReturn("# mine");
  await eventually(() => content.textContent(), /# mine$/);
  assert.not.match(await page.evaluate("JSON.stringify(sessionStorage)"), "mine");
  await page.evaluate("location.hash = '#/'");
  await press("Discard changes");
});

test("a restored text does not overwrite what someone else has saved meanwhile", async () => {
  await ask("POST", "", definition("first", "root = this"));
  await page.evaluate("location.hash = '#/api/orders'");
  await shows("#summary", "Nothing is wrong.");
  await appendAndReturn("# mine");
  await eventually(() => content.textContent(), /# mine$/);
  await ask("PUT", "/orders", definition("theirs", "root = this"));
  await press("Save");
  await page.getByRole("heading", { name: "Someone else has changed this API" }).waitFor();
  await press("Discard mine, show theirs");
  await eventually(() => content.textContent(), /"theirs"/);
  await ask("DELETE", "/orders");
});

test("an API that could not be loaded cannot be edited", async () => {
  await page.evaluate("location.hash = '#/api/gone'");
  await page.getByText("Could not load “gone”.").waitFor();
  await eventually(() => page.getByRole("button", { name: "Save" }).count(), 0);
  await eventually(() => page.locator("#editor").isVisible(), false);
});

test("after the key is forgotten, nothing is shown", async () => {
  await press("Forget the key");
  await page.getByLabel("API key").waitFor();
  await eventually(() => page.locator("#api-table").count(), 0);
});

test("every view is accessible, in light and dark mode and on a phone screen", () => {
  assert.equal(unfit, []);
});

test.after(async () => {
  await browser.close();
  assert.is(await served.stop(), 0);
  assert.not.ok(served.output().includes(key));
});

test.run();
