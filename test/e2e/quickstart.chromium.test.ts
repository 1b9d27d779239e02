import { test } from "uvu";
import * as assert from "uvu/assert";
import { chromium } from "../harness/chromium.ts";
import { projectRoot } from "../harness/directories.ts";
import { start } from "../harness/processes.ts";
import { sse } from "../harness/sse-client.ts";
import { eventually, until } from "../harness/wait.ts";
import { addressesOf } from "./gateway.ts";

// The command of `npm start`; npm itself does not forward signals.
const program = start(process.execPath, ["scripts/run.js", "examples/quickstart/start.ts"], {
  cwd: projectRoot,
  env: { GW_LISTEN: "127.0.0.1:0", GW_ADMIN_LISTEN: "127.0.0.1:0", QUICKSTART_MQTT_PORT: "0" },
});
const { url } = await addressesOf(program);

function place(order: object): Promise<Response> {
  return fetch(`${url}/orders/new`, { method: "POST", body: JSON.stringify(order) });
}

test("the quickstart prints a command to try, with its listen address", async () => {
  const [said] = await program.matching(/curl -d .* http:\/\/\S+\/orders\/new/);
  assert.ok(said.endsWith(`${url}/orders/new`));
});

test("orders with a total above 50 are published as events, with their total", async () => {
  const events = await sse(`${url}/orders/events`);
  await until(() => hasInput("valuable"), { what: "the stream to have joined the broker" });
  const answers = await Promise.all([
    place({ id: "small", quantity: 1, unit_price: "50.00" }),
    place({ id: "a1", quantity: 3, unit_price: "19.90" }),
  ]);
  assert.equal(
    answers.map(({ status }) => status),
    [200, 200],
  );
  assert.equal(JSON.parse((await events.next()).data), {
    id: "a1",
    quantity: 3,
    total: 59.7,
    unit_price: "19.90",
  });
  assert.is(events.events.length, 1);
  events.close();
});

test("the page shows orders as they arrive", async () => {
  const browser = await chromium();
  const page = await browser.newPage();
  await page.goto(`${url}/orders/`);
  await page.waitForSelector("#state.open");
  await until(() => hasInput("valuable"), { what: "the stream to have joined the broker" });
  await page.getByLabel("Order", { exact: true }).fill("b2");
  await page.getByRole("button", { name: "Place order" }).click();
  await page.waitForSelector("tbody tr");
  await eventually(() => page.locator("tbody td").allTextContents(), ["b2", "3", "19.90", "59.7"]);
  await eventually(() => page.locator("#answer").textContent(), "Order b2 is with the broker.");
  await browser.close();
});

test("a request that matches no stream is proxied to the website", async () => {
  const missing = await fetch(`${url}/orders/elsewhere`);
  assert.equal([missing.status, await missing.text()], [404, "There is only one page here.\n"]);
});

test("a failed order is reported with its place in the log and on the page, without its content", async () => {
  const { adminUrl } = await addressesOf(program);
  const events = await sse(`${url}/orders/events`);
  await until(() => hasInput("valuable"), { what: "the stream to have joined the broker" });
  assert.is((await place({ id: "incomplete", unit_price: "19.90" })).status, 200);
  const [line] = await program.matching(/^\{.*"msg":"batch not delivered".*\}$/m);
  const { stream, reason, detail, at, source, willRepeat } = JSON.parse(line);
  assert.equal(
    { stream, reason, detail, at, source, willRepeat },
    {
      stream: "valuable",
      reason: "mapping_failed",
      detail:
        "line 1 of the mapping: cannot multiply types null (from field `this.quantity`) and number (from method number)",
      at: "examples/quickstart/orders.yaml:74",
      source: { topic: "orders/new", qos: 1, packetId: source.packetId },
      willRepeat: true,
    },
  );
  const browser = await chromium();
  const page = await browser.newPage();
  await page.goto(adminUrl);
  const why = `mapping_failed: ${detail}, in pipeline.processors[0].mapping (examples/quickstart/orders.yaml:74)`;
  const row = page.locator("#streams tr", { hasText: "blocked" });
  await row.locator(".note", { hasText: why }).waitFor();
  await page.getByLabel("What is wrong").getByText(`: ${why}`).waitFor();
  assert.not.match(program.output(), "incomplete");
  await browser.close();
  events.close();
});

test("the quickstart exits with 0 on SIGINT", async () => {
  assert.is(await program.stop("SIGINT"), 0);
});

async function hasInput(stream: string): Promise<boolean> {
  const { adminUrl } = await addressesOf(program);
  const states: unknown = await (await fetch(`${adminUrl}/streams`)).json();
  return JSON.stringify(states).includes(`"stream":"${stream}","status":"running"`);
}

test.run();
