import { test } from "uvu";
import * as assert from "uvu/assert";
import { portalAccounts } from "../../runtime/portal/accounts/accounts.ts";
import { smtpMailer } from "../../runtime/portal/mail/smtp-mailer.ts";
import { portalPage } from "../../runtime/portal/page/page.ts";
import { chromium } from "../harness/chromium.ts";
import { startMailServer } from "../harness/mail-server.ts";
import { newVisitor, problemsOf } from "../harness/visitor.ts";
import { eventually, until } from "../harness/wait.ts";
import { startPortal, tokens } from "../runtime/portal/portals.ts";
import { freshFile } from "../runtime/store/databases.ts";

const password = "correct horse battery";
const mailServer = await startMailServer();
const gateway = await startPortal(await freshFile(), [], {
  smtp: smtpMailer({ from: "portal@example.com" }),
  page: portalPage,
  settings: {
    accounts: portalAccounts({ url: "https://developers.example.com/portal/", sign_up: true }),
  },
  environment: { GW_SMTP_URL: `smtp://127.0.0.1:${mailServer.port}` },
});
await gateway.ask("POST", "/developers", { email: "ada@example.com", password });
await gateway.ask("POST", "/configuration", {
  signup_fields: ["Team", { name: "company", label: "Your company", required: true }],
});
const browser = await chromium();
const page = await browser.newPage();

const press = (name: string | RegExp) => page.getByRole("button", { name, exact: true }).click();
const follow = (name: string) => page.getByRole("link", { name, exact: true }).click();
const refused = (text: string) => page.getByRole("alert").getByText(text).waitFor();
const says = (text: string) =>
  until(async () => (await page.locator("#message").textContent()) === text, { what: text });
const unfit: string[] = [];

async function isFitForAll(view: string): Promise<void> {
  unfit.push(...(await problemsOf(page)).map((problem) => `${view}: ${problem}`));
}

/** Resolves with the link in the only e-mail to an address, leading to this gateway. */
async function linkTo(address: string): Promise<string> {
  const mail = await until(() => mailServer.mails.find(({ to }) => to.includes(address)));
  const link = /developers\.example\.com\/portal\/(#\/[\w/-]+)/;
  const [, view = ""] = link.exec(mail.raw.replaceAll("=\r\n", "")) ?? [];
  return `${gateway.url}/portal/${view}`;
}

test("a developer signs up by an e-mailed link, and changes the password", async () => {
  await page.goto(`${gateway.url}/portal/`);
  await follow("Sign up");
  await page.getByLabel("E-mail address").fill("cleo");
  await press("Send me the link");
  await page.locator('#ask [aria-invalid="true"]').waitFor();
  await page.getByLabel("E-mail address").fill("cleo@example.com");
  await isFitForAll("sign-up");
  await press("Send me the link");
  await page.getByText("If cleo@example.com can be used here").waitFor();
  const link = await linkTo("cleo@example.com");
  await page.goto(link);
  await page.getByLabel("New password").fill(password);
  await press("Sign up");
  await page.locator('#choose [name="question-1"][aria-invalid="true"]').waitFor();
  await isFitForAll("completion of a sign-up");
  await page.getByLabel("Your company").fill("<b>Cleo & Sons</b>");
  await page.getByLabel("Your company").press("Enter");
  await says("Welcome! Your account is ready.");
  await page.getByText("cleo@example.com").waitFor();
  await follow("Account");
  await page.getByLabel("Current password").fill("guess");
  await page.getByLabel("New password").fill("a second password");
  await isFitForAll("account");
  await press("Change password");
  await refused("This is not the current password.");
  await page.getByLabel("Current password").fill(password);
  await page.getByLabel("New password").fill("a second password");
  await press("Change password");
  await says("Your password was changed. Your other sessions have ended.");
  await press("Log out");
  await page.getByRole("button", { name: "Log in" }).waitFor();
  await page.goto(link);
  await page.getByLabel("New password").fill(password);
  await page.getByLabel("Your company").fill("another");
  await press("Sign up");
  await refused("This link has already been used or has expired. Request another one.");
});

test("a developer resets a forgotten password", async () => {
  await follow("Back to the login");
  await follow("Forgot your password?");
  await page.getByLabel("E-mail address").fill("ada@example.com");
  await press("Send me the link");
  await page.goto(await linkTo("ada@example.com"));
  await page.getByLabel("New password").fill("another password");
  await isFitForAll("another password");
  await press("Change password");
  await says("Your password was changed. Log in with the new one.");
  const form = page.locator("#login");
  await form.getByLabel("E-mail").fill("ada@example.com");
  await form.getByLabel("Password", { exact: true }).fill("another password");
  await press("Log in");
  await page.getByRole("heading", { name: "Catalogue" }).waitFor();
});

test("these views are accessible, in light and dark mode", () => {
  assert.equal(unfit, []);
});

test("changes that were not saved outlive a reload, until they are discarded or the user logs out", async () => {
  const { page, press, follow, isFitForAll, unfit, complaints } = await newVisitor(browser);
  const name = page.getByLabel("Name", { exact: true });
  const unsaved = page.getByText("These changes have not been saved.");
  const enter = async () => {
    await page.getByLabel("Access token").fill(tokens.acme);
    await press("Open the administration");
  };
  const reload = async () => {
    await page.reload();
    await enter();
  };
  await page.goto(`${gateway.url}/portal/`);
  await enter();
  await follow("Policies");
  await press("New policy");
  await name.fill("Readers");
  await press("Add an API");
  await page.getByLabel("API ID").nth(1).fill("orders");
  await reload();
  await unsaved.waitFor();
  await eventually(() => name.inputValue(), "Readers");
  await eventually(() => page.getByLabel("API ID").count(), 1);
  await eventually(() => page.getByLabel("API ID").inputValue(), "orders");
  await isFitForAll("unsaved policy");
  await press("Discard changes");
  await eventually(() => name.inputValue(), "");
  await reload();
  await eventually(() => name.inputValue(), "");
  await eventually(() => unsaved.count(), 0);
  await press("Cancel");
  await follow("Appearance");
  const product = page.getByLabel("Tagline");
  await product.fill("Half a th");
  await reload();
  await unsaved.waitFor();
  await eventually(() => product.inputValue(), "Half a th");
  await press("Log out");
  await enter();
  await follow("Appearance");
  await product.waitFor();
  await eventually(() => unsaved.count(), 0);
  await follow("Developers");
  await press("New developer");
  await page.getByLabel("Password", { exact: true }).fill(password);
  assert.not.match(await page.evaluate("JSON.stringify(sessionStorage)"), password);
  assert.equal([complaints, unfit], [[], []]);
});

test.after(async () => {
  await browser.close();
  await gateway.close();
  await mailServer.close();
});

test.run();
