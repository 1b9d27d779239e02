import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { violations } from "../harness/accessibility.ts";
import { chromium } from "../harness/chromium.ts";
import { temporaryDirectory } from "../harness/directories.ts";
import { httpServer } from "../harness/http-server.ts";
import { eventually, until } from "../harness/wait.ts";
import { buildBundle, startBundle } from "./gateway.ts";

const hostile = "<img src=x onerror=alert(1)>";
const description = `openapi: 3.1.0
info: { title: Orders, version: 1.0.0 }
paths: {}
x-gw-api-gateway:
  info: { name: Orders, id: "${hostile}", state: { active: true } }
  server: { listenPath: { value: /orders/ } }
  upstream: { url: "\${BACKEND}" }
x-gw-streaming:
  streams:
    intake:
      input: { http_server: { path: "/in/{id}", ws_path: /talk } }
      output: { http_client: { url: "\${BACKEND}/orders", retries: 0 } }
    away:
      input: { websocket: { url: "\${AWAY}" } }
      output: { drop: {} }
`;

const protectedApi = `openapi: 3.1.0
info: { title: Stock, version: 1.0.0 }
components:
  securitySchemes:
    key: { type: apiKey, in: header, name: X-Key }
    token: { type: http, scheme: bearer, bearerFormat: JWT }
security: [{ key: [] }]
paths:
  /items/{id}:
    get: { security: [{ key: [] }, { token: [] }] }
    put: { security: [{ key: [], token: [] }] }
  /levels:
    get: { security: [] }
x-gw-api-gateway:
  info: { name: Stock, id: stock, state: { active: true } }
  server:
    listenPath: { value: /stock/ }
    authentication:
      enabled: true
      securitySchemes:
        key: { enabled: true }
        token:
          enabled: true
          header: { enabled: true, name: Authorization }
          signingMethod: hmac
          source: a-secret-of-this-test-of-32-bytes!
          defaultPolicies: [readers]
  upstream: { url: "\${BACKEND}" }
x-gw-streaming:
  streams:
    changes:
      input: { http_server: { path: "/items/{item}", allowed_verbs: [GET, PUT, POST] } }
      output: { drop: {} }
`;
const settings = `apis: [orders.yaml, stock.yaml]
streaming: { enabled: true }
policies: [{ id: readers, access_rights: { stock: { api_id: stock } } }]
`;

const backend = await httpServer();
const folder = temporaryDirectory("admin-page");
writeFileSync(join(folder, "orders.yaml"), description);
writeFileSync(join(folder, "stock.yaml"), protectedApi);
writeFileSync(join(folder, "gateway.yaml"), settings);
const gateway = await startBundle(await buildBundle([join(folder, "gateway.yaml")]), {
  BACKEND: backend.url,
  AWAY: "ws://127.0.0.1:1/",
  GW_WORKERS: "2",
});
const browser = await chromium();
const page = await browser.newPage();
/** Refusals of the browser, and errors of scripts. */
const complaints: string[] = [];
page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
page.on("pageerror", (error) => complaints.push(String(error)));
page.on("dialog", (dialog) => complaints.push(dialog.message()));

/** Texts of charts that touch another one. */
const overlapping = `[...document.querySelectorAll(".plot")].flatMap((plot) => {
  const texts = [...plot.querySelectorAll("text")].map((text) => [text.textContent, text.getBoundingClientRect()]);
  return texts.flatMap(([words, box], index) =>
    texts
      .slice(index + 1)
      .filter(([, { left, right, top, bottom }]) =>
        left < box.right && box.left < right && top < box.bottom && box.top < bottom)
      .map(([others]) => words + " over " + others));
})`;

const textsOf = (selector: string) => page.locator(selector).allTextContents();
const rowsOf = async (table: string) => {
  const rows = await page.locator(`${table} tbody tr`).all();
  return Promise.all(rows.map((row) => row.locator("th, td").allTextContents()));
};

test("the page shows streams, the reasons for not being ready, and the compiled routes", async () => {
  await page.goto(gateway.adminUrl);
  await until(async () => (await textsOf("#ready")).join() === "Not ready");
  await until(async () =>
    (await textsOf("#reasons li")).some((reason) => reason.startsWith(`worker 0: ${hostile}/away: `)),
  );
  const states = async () => {
    const rows = await page.locator("#streams tbody tr").all();
    return Promise.all(
      rows.map(async (row) => [
        (await row.locator("td").allTextContents())[0],
        ...(await row.locator("th").allTextContents()),
        ...(await row.locator(".badge").allTextContents()),
      ]),
    );
  };
  await eventually(states, [
    [hostile, "intake, worker 0", "running"],
    [hostile, "away, worker 0", "failed"],
    ["stock", "changes, worker 0", "running"],
    [hostile, "intake, worker 1", "running"],
    ["stock", "changes, worker 1", "running"],
  ]);
  await page.getByRole("link", { name: "Routes" }).click();
  await eventually(
    () => rowsOf("#routes"),
    [
      ["/orders/in/{id}", "POST", "intake (input)", hostile, "open", ""],
      ["/orders/talk", "WebSocket", "intake (input)", hostile, "open", ""],
      ["/orders/*", "all others", "upstream", hostile, "open", ""],
      [
        "/stock/items/{item}",
        "GET, PUT, POST",
        "changes (input)",
        "stock",
        "GET: key or token; PUT: key and token; POST: key; policies: readers",
        "authentication, key-and-policy, rate-limit",
      ],
      ["/stock/levels", "GET", "upstream", "stock", "open", "authentication, key-and-policy, rate-limit"],
      [
        "/stock/*",
        "all others",
        "upstream",
        "stock",
        "key; policies: readers",
        "authentication, key-and-policy, rate-limit",
      ],
    ],
  );
});

test("counts and rates update while the page is open", async () => {
  await page.getByRole("link", { name: "Overview" }).first().click();
  const received = async () =>
    (await page.locator("#streams td:nth-child(4) .total").allTextContents()).reduce(
      (sum, text) => sum + Number(text),
      0,
    );
  await eventually(() => received(), 0);
  const send = () =>
    fetch(`${gateway.url}/orders/in/a`, { method: "POST", body: "a", headers: { connection: "close" } });
  for (let sent = 0; sent < 4; sent += 1) await send();
  await until(async () => (await received()) === 4);
  const rates = () => page.locator("#streams td:nth-child(4) .rate").allTextContents();
  await until(
    async () => {
      await send(); // a rate is of the last seconds
      return (await rates()).some((text) => Number.parseFloat(text) > 0);
    },
    { what: "a rate" },
  );
});

test("updates can be paused and resumed", async () => {
  const pause = page.getByRole("button", { name: "Pause" });
  await pause.click();
  await eventually(() => pause.getAttribute("aria-pressed"), "true");
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await pause.click();
  await until(() => asked.filter((url) => url.endsWith("/streams")).length >= 2);
  await eventually(() => pause.getAttribute("aria-pressed"), "false");
});

test("the content is accessible: names, headings, regions", async () => {
  const count = (selector: string) => page.locator(selector).count();
  await eventually(() => page.getByRole("heading", { name: "Streams", exact: true }).count(), 1);
  await eventually(() => count('#streams th[scope="col"]'), 9);
  await eventually(() => count('#streams tbody th[scope="row"]'), 5);
  await eventually(() => page.locator("#ready[role=status]").textContent(), "Not ready");
  await eventually(
    () => page.getByRole("img", { name: /^Messages a second over time; now: received / }).count(),
    1,
  );
  assert.equal(await violations(page), []);
  await page.getByRole("link", { name: "Routes" }).click();
  await page.getByRole("region", { name: "Routes" }).locator("table").waitFor();
  await eventually(() => count('#routes th[scope="col"]'), 6);
  await eventually(() => count('#routes tbody th[scope="row"]'), 6);
  assert.equal(await violations(page), []);
});

test("a stream has its own address, reachable from the command palette by keyboard", async () => {
  await page.keyboard.press("Control+K");
  await page.keyboard.type("away");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "away, worker 0" }).waitFor();
  await eventually(() => page.title(), "away, worker 0 – Gateway");
  const address = page.url();
  assert.match(address, /#\/stream\/./);
  const { streams } = (await (await fetch(`${gateway.adminUrl}/streams`)).json()) as {
    streams: { stream: string; reason?: string }[];
  };
  const reason = streams.find(({ stream }) => stream === "away")?.reason;
  assert.ok(reason);
  await eventually(() => page.locator(".notice strong").textContent(), reason);
  assert.equal(await violations(page), []);
  await page.goto("about:blank");
  await page.goto(address);
  await page.getByRole("heading", { name: "away, worker 0" }).waitFor();
});

test("versions, start time and last failures are shown, and the page fits a phone screen", async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole("link", { name: "Overview" }).first().click();
  await page.getByText(/^Sluice \d+\.\d+\.\d+, Node\.js \d+/).waitFor();
  await eventually(async () => {
    const [failure = []] = await rowsOf("#failures");
    return [failure[0], failure[3]];
  }, ["away, worker 0", "failed"]);
  for (const view of ["Routes", "Overview"]) {
    await page.getByRole("link", { name: view }).first().click();
    await page.getByRole("heading", { name: view, level: 1 }).waitFor();
    await eventually(() => page.evaluate("document.documentElement.scrollWidth"), 390);
  }
  await eventually(() => page.title(), "Overview – Gateway");
  // Cards have no header, but the keyboard reaches its buttons.
  const sort = page.locator("#streams thead button").first();
  await sort.focus();
  await until(async () => ((await page.locator("#streams thead").boundingBox())?.height ?? 0) > 20);
  await sort.blur();
  await eventually(async () => (await page.locator("#streams thead").boundingBox())?.height, 1);
  for (let width = 320; width < 480; width += 20) {
    await page.setViewportSize({ width, height: 800 });
    await until(() =>
      page.evaluate(
        "[...document.querySelectorAll('.plot')].every((plot) => plot.clientWidth === plot.firstChild.clientWidth)",
      ),
    );
    assert.equal(await page.evaluate(overlapping), [], `${width} pixels`);
  }
  await page.setViewportSize({ width: 1280, height: 720 });
  const table = "document.querySelector('.scroll:has(#streams)')";
  // Nothing is cut off.
  await eventually(() => page.evaluate(`${table}.scrollWidth - ${table}.clientWidth`), 0);
});

test("the current view is seen in colours that the user forces", async () => {
  await page.emulateMedia({ forcedColors: "active" });
  await page.getByRole("link", { name: "Overview" }).first().click();
  const backgrounds = `new Set(
    [...document.querySelectorAll("nav a")].map((link) => getComputedStyle(link).backgroundColor)).size`;
  await eventually(() => page.evaluate(backgrounds), 2);
  await page.emulateMedia({ forcedColors: null });
});

test("the page runs no code from documents, and loads nothing from other origins", async () => {
  const response = await fetch(gateway.adminUrl);
  const policy = response.headers.get("content-security-policy") ?? "";
  assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'/);
  assert.not.match(policy, "unsafe");
  const inline = await page.evaluate(`{
    const script = document.createElement("script");
    script.textContent = "document.title = 'taken over'";
    document.body.append(script);
    document.title;
  }`);
  assert.is(inline, "Overview – Gateway");
  await until(() => complaints.length > 0, { what: "the browser's refusal" });
  assert.match(complaints.splice(0).join(), "Content Security Policy");
  await page.reload();
  await until(async () => (await textsOf("#ready")).join() === "Not ready");
  // The browser logs the status 503 of `/readyz` on its console.
  assert.equal(
    complaints.filter((complaint) => !complaint.includes("503")),
    [],
  );
});

test("a stopped gateway is reported", async () => {
  await gateway.program.stop();
  await until(async () => (await textsOf("#ready")).join() === "The gateway does not answer");
  await browser.close();
  await backend.close();
});

test.run();
