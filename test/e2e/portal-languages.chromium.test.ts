import { test } from "uvu";
import * as assert from "uvu/assert";
import { portalPage } from "../../runtime/portal/page/page.ts";
import { chromium } from "../harness/chromium.ts";
import { newVisitor } from "../harness/visitor.ts";
import { eventually, until } from "../harness/wait.ts";
import { developerRecord, startPortal } from "../runtime/portal/portals.ts";
import { freshFile } from "../runtime/store/databases.ts";

const password = "correct horse battery";
const polish = {
  language: "pl",
  messages: {
    "word.catalogue": "Katalog API",
    "kit.page": "Strona {page} z {last}",
    "word.name": "Nazwa",
  },
};
const gateway = await startPortal(await freshFile(), [], {
  page: portalPage,
  settings: { languages: { default: "de", additional: [JSON.stringify(polish)] } },
});
const { body: made } = await gateway.ask("POST", "/developers", { email: "ada@example.com", password });
const browser = await chromium();
const { page, complaints, unfit, press, follow, isFitForAll } = await newVisitor(browser);
const loaded: string[] = [];
page.on("request", (request) => {
  const [, language = ""] = /messages\.(.+)\.json/.exec(request.url()) ?? [];
  if (language !== "") loaded.push(language);
});
const languageOf = () => page.evaluate("document.documentElement.lang");
const choose = (tag: string) => page.locator("select.language").selectOption(tag);

test("the page uses the language of the browser, and loads only that language", async () => {
  await page.goto(`${gateway.url}/portal/`);
  await page.getByRole("heading", { name: "Developers" }).waitFor();
  await eventually(() => languageOf(), "en");
  assert.equal(loaded, ["en"]);
});

test("a visitor can switch the language, and the choice is kept", async () => {
  await choose("de");
  await page.getByRole("heading", { name: "Entwickler" }).waitFor();
  await eventually(() => languageOf(), "de");
  await isFitForAll("door in German");
  await page.reload();
  await page.getByRole("heading", { name: "Entwickler" }).waitFor();
  const form = page.locator("#login");
  await form.getByLabel("E-Mail").fill("ada@example.com");
  await form.getByLabel("Passwort", { exact: true }).fill("falsch");
  await press("Anmelden");
  await page.getByRole("alert").getByText("E-Mail-Adresse oder Passwort ist falsch.").waitFor();
});

test("every view of a developer is translated to German", async () => {
  const form = page.locator("#login");
  await form.getByLabel("Passwort", { exact: true }).fill(password);
  await press("Anmelden");
  await page.getByText("Der Katalog ist leer.").waitFor();
  for (const [link, title] of [
    ["Ihre Anfragen", "Es ist noch nichts angefragt."],
    ["Ihre Schlüssel", "Es gibt noch keine Schlüssel."],
    ["Apps und Webhooks", "Es gibt noch keine Apps."],
    ["Teams", "Sie sind noch in keinem Team."],
    ["Konto", "Ihr Passwort."],
  ] as const) {
    await follow(link);
    await page.getByText(title).waitFor();
    await isFitForAll(link);
  }
  const account = page.locator("#password");
  await account.getByLabel("Bisheriges Passwort").fill("falsch");
  await account.getByLabel("Neues Passwort").fill("ein anderes Passwort");
  await press("Passwort ändern");
  await page.getByRole("alert").getByText("Das ist nicht das jetzige Passwort.").waitFor();
});

test("the choice of a developer is stored, and applies in another browser", async () => {
  await choose("pl");
  await page.getByRole("link", { name: "Katalog API" }).waitFor();
  assert.is((await developerRecord(gateway, made.Message)).language, "pl");
  const other = await newVisitor(browser);
  await other.page.goto(`${gateway.url}/portal/`);
  const form = other.page.locator("#login");
  await form.getByLabel("E-mail").fill("ada@example.com");
  await form.getByLabel("Password", { exact: true }).fill(password);
  await other.press("Log in");
  await other.page.getByRole("link", { name: "Katalog API" }).waitFor();
  // Texts that the operator's file does not contain.
  await other.page.getByRole("link", { name: "Your keys" }).waitFor();
  await until(async () => (await other.page.evaluate("document.documentElement.lang")) === "pl");
  assert.equal(other.complaints, []);
  await other.page.close();
});

test("all visited views are accessible, and no errors are logged", () => {
  assert.equal(complaints, []);
  assert.equal(unfit, []);
});

test.after(async () => {
  await browser.close();
  await gateway.close();
});

test.run();
