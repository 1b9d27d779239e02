import type { Page } from "playwright-core";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { portalPage } from "../../runtime/portal/page/page.ts";
import { chromium } from "../harness/chromium.ts";
import { newVisitor } from "../harness/visitor.ts";
import { eventually } from "../harness/wait.ts";
import { startPortal, tokens } from "../runtime/portal/portals.ts";
import { freshFile } from "../runtime/store/databases.ts";

const password = "correct horse battery";
const gateway = await startPortal(await freshFile(), [{ id: "readers", access_rights: { orders: {} } }], {
  page: portalPage,
});
const [ada = "", grace = ""] = await Promise.all(
  ["ada", "grace"].map(async (name) => {
    const sent = { email: `${name}@example.com`, password };
    return (await gateway.ask("POST", "/developers", sent)).body.Message as string;
  }),
);
await gateway.ask("POST", `/developers/${ada}/keys`, { apply_policies: ["readers"] });
const browser = await chromium();
const { page, complaints, press, follow, says } = await newVisitor(await browser.newContext());
const dialogs = (within: Page) => within.getByRole("dialog").count();

async function logIn(name: string, within = page): Promise<void> {
  const form = within.locator("#login");
  await form.getByLabel("E-mail").fill(`${name}@example.com`);
  await form.getByLabel("Password", { exact: true }).fill(password);
  await within.getByRole("button", { name: "Log in" }).click();
  await shows(name, within);
}

async function shows(name: string, within = page): Promise<void> {
  await within.locator("#who").getByText(`${name}@example.com`).waitFor();
}

/** What a lost response with a credential is reported with. */
const checkTheList =
  "Check the list: a credential that was issued nevertheless cannot be shown again, and its owner has to replace it.";

/** Opens the dialog that replaces the key. */
async function openReplacement(): Promise<void> {
  await follow("Your keys");
  await press(/^Replace/);
  await page.getByRole("dialog").waitFor();
}

test("an answer that is not one of the portal's is reported in words for people", async () => {
  await page.goto(`${gateway.url}/portal/`);
  await logIn("ada");
  await openReplacement();
  const alert = page.getByRole("dialog").getByRole("alert");
  for (const [status, body, words] of [
    [200, "<html>", `The answer of the server could not be read. ${checkTheList}`],
    [200, "", `The answer of the server could not be read. ${checkTheList}`],
    [500, "null", "The answer was 500."],
    [502, "<html>", `The answer was 502. ${checkTheList}`],
  ] as const) {
    await page.route("**/rotate", (asked) => asked.fulfill({ status, body }), { times: 1 });
    await press("Replace it");
    await eventually(() => alert.allTextContents(), [words]);
  }
});

test("going back closes the dialogs of a view, but not a credential that is shown once", async () => {
  await page.goBack();
  await page.getByRole("heading", { name: "Catalogue", level: 1 }).waitFor();
  await eventually(() => dialogs(page), 0);
  await openReplacement();
  await press("Replace it");
  await page.locator("#secret").waitFor();
  await page.goBack();
  await page.getByRole("heading", { name: "Catalogue", level: 1 }).waitFor();
  await eventually(() => page.locator("#secret").count(), 1);
  await press("I have it");
});

test("when the session ends, no dialog covers the login", async () => {
  await openReplacement();
  const refusal = { status: 401, json: { Status: "Error", Message: "Not authorised", Meta: null } };
  await page.route("**/rotate", (asked) => asked.fulfill(refusal), { times: 1 });
  await press("Replace it");
  await page.getByText("Your session has ended. Log in again.").waitFor();
  await eventually(() => dialogs(page), 0);
  await logIn("ada");
});

test("a late refusal of an earlier session does not end the current one", async () => {
  const answered = Promise.withResolvers<void>();
  await page.route(
    "**/own/requests?*",
    async (asked) => {
      await answered.promise;
      await asked.fulfill({ status: 401, json: { Status: "Error", Message: "Not authorised", Meta: null } });
    },
    { times: 1 },
  );
  const refused = page.waitForResponse((response) => response.status() === 401);
  await follow("Your requests");
  await press("Log out");
  await logIn("grace");
  answered.resolve();
  await (await refused).finished();
  await follow("Your keys");
  await page.getByText("No keys yet").waitFor();
  await shows("grace");
});

test("all tabs show the developer who logged in last", async () => {
  const other = await page.context().newPage();
  await other.goto(`${gateway.url}/portal/`);
  await shows("grace", other);
  await other.getByRole("button", { name: "Log out" }).click();
  await page.getByText("Your session has ended. Log in again.").waitFor();
  await logIn("grace");
  await logIn("ada", other);
  await shows("ada");
  await other.close();
});

test("what was not sent is kept when logging out fails", async () => {
  await follow("Teams");
  await press("New team");
  const name = page.getByRole("dialog").getByLabel("Name");
  await name.fill("Shipping");
  await page.route("**/entrance/login", (asked) => asked.abort(), { times: 1 });
  // The dialog covers the button, but not the command of the same name.
  await page.locator("#leave").dispatchEvent("click");
  await says("The server cannot be reached. Check your connection.");
  await page.reload();
  await eventually(() => name.inputValue(), "Shipping");
  await press("Cancel");
});

test("after logging out, the tab holds nothing of the developer", async () => {
  await press("Log out");
  await page.getByRole("button", { name: "Log in" }).waitFor();
  assert.is(await page.evaluate("sessionStorage.length + localStorage.length + document.cookie.length"), 0);
  assert.equal(complaints, []);
});

test("a lost response of an approval is reported, and one that arrives is shown before the list", async () => {
  for (const developer of [ada, grace]) {
    await gateway.ask("POST", "/requests", { by_user: developer, apply_policies: ["readers"] });
  }
  await page.getByLabel("Access token").fill(tokens.acme);
  await press("Open the administration");
  const waiting = page.getByRole("button", { name: /^Approve/ });
  await eventually(() => waiting.count(), 2);
  await page.route(
    "**/requests/approve/*",
    async (asked) => {
      await asked.fetch();
      await asked.abort();
    },
    { times: 1 },
  );
  await waiting.first().click();
  await eventually(
    () => page.locator("#message").textContent(),
    `The server cannot be reached. Check your connection. ${checkTheList}`,
  );
  await eventually(() => waiting.count(), 1);
  const listed = Promise.withResolvers<void>();
  await page.route("**/requests?*", (asked) => listed.promise.then(() => asked.continue()), { times: 1 });
  await waiting.click();
  await page.locator("#secret").waitFor();
  listed.resolve();
  await press("I have it");
  await page.getByText("No pending requests").waitFor();
});

test.after(async () => {
  await browser.close();
  await gateway.close();
});

test.run();
