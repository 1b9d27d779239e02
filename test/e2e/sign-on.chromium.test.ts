import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { violations } from "../harness/accessibility.ts";
import { keyedOrders } from "../harness/api-documents.ts";
import { chromium } from "../harness/chromium.ts";
import { temporaryDirectory } from "../harness/directories.ts";
import { type IdentityProvider, startIdentityProvider } from "../harness/identity-provider.ts";
import { freePort } from "../harness/ports.ts";
import { eventually } from "../harness/wait.ts";
import { startTestService, type TestService } from "../management/services.ts";
import { freshFile } from "../runtime/store/databases.ts";
import { buildAndStart } from "./gateway.ts";

const secret = "a secret of the tests, long enough";
const accessToken = "the-token-of-administrators";
const test = suite("single sign-on in a browser");
const [portalPort, managementPort] = [await freePort(), await freePort()];
const addresses = {
  portal: `http://127.0.0.1:${portalPort}`,
  management: `http://127.0.0.1:${managementPort}`,
};
const browser = await chromium();
const opened: { close(): Promise<unknown> }[] = [browser];
let portalProvider: IdentityProvider;
let managementProvider: IdentityProvider;
let service: TestService;

test.before(async () => {
  const client = { client_id: "sluice", client_secret: secret };
  const base = `${addresses.portal}/portal/sign-in`;
  portalProvider = await startIdentityProvider({ ...client, base, home: `${addresses.portal}/portal/` });
  managementProvider = await startIdentityProvider({
    ...client,
    base: `${addresses.management}/sign-in`,
    home: `${addresses.management}/`,
  });
  opened.push(portalProvider, managementProvider);
  const folder = temporaryDirectory("sign-on");
  writeFileSync(
    join(folder, "gateway.yaml"),
    `streaming: { enabled: true }
apis: [orders.yaml]
store: "\${STORE}"
portal:
  enabled: true
  page: true
  single_sign_on:
    issuer: "\${ISSUER}"
    client_id: sluice
    url: "\${URL}"
    name: Example
    roles: [{ value: admins, role: administrator }, { value: "*", role: developer }]
policies: [{ id: readers, access_rights: { orders: {} } }]
`,
  );
  writeFileSync(join(folder, "orders.yaml"), keyedOrders("{ drop: {} }"));
  const gateway = await buildAndStart([join(folder, "gateway.yaml")], {
    STORE: `sqlite:${join(folder, "gateway.db")}`,
    ISSUER: portalProvider.issuer,
    URL: addresses.portal,
    GW_PORTAL_ACCESS_TOKENS: accessToken,
    GW_PORTAL_CLIENT_SECRET: secret,
    GW_PORTAL_LISTEN: `127.0.0.1:${portalPort}`,
  });
  opened.push({ close: () => gateway.program.stop() });
  const roles = [{ value: "*", permissions: ["read"] as const }];
  const settings = {
    issuer: managementProvider.issuer,
    client_id: "sluice",
    url: addresses.management,
    roles,
  };
  service = await startTestService(await freshFile(), {
    environment: {
      GW_MANAGEMENT_CLIENT_SECRET: secret,
      GW_MANAGEMENT_LISTEN: `127.0.0.1:${managementPort}`,
    },
    settings: { single_sign_on: settings },
  });
  opened.push(service);
});
test.after(async () => {
  for (const each of opened) await each.close();
});

test("developers and administrators sign in to the portal by single sign-on, and log out", async () => {
  portalProvider.people.set("ada", { email: "ada@example.com", email_verified: true });
  portalProvider.people.set("boss", { groups: ["admins"], preferred_username: "boss" });
  portalProvider.person = "ada";
  const context = await browser.newContext();
  const page = await context.newPage();
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  await page.goto(`${addresses.portal}/portal/#/keys`);
  await page.getByRole("link", { name: "Sign in with Example" }).waitFor();
  assert.equal(await violations(page), []);
  await page.getByRole("link", { name: "Sign in with Example" }).click();
  await page.getByText("ada@example.com").waitFor();
  await page.waitForURL(`${addresses.portal}/portal/#/keys`);
  await page.reload();
  await page.getByText("ada@example.com").waitFor();
  await page.getByRole("button", { name: "Log out" }).click();
  await page.waitForURL(`${portalProvider.issuer}/session/end**`);
  await page.getByRole("button", { name: "Yes, sign me out" }).click();
  await page.waitForURL(`${addresses.portal}/portal/`);
  portalProvider.person = "boss";
  await page.getByRole("link", { name: "Sign in with Example" }).click();
  await page.getByText("Administrator", { exact: true }).waitFor();
  await page.getByRole("link", { name: "Developers" }).click();
  await page.getByText("ada@example.com").waitFor();
  assert.equal(errors, []);
  await context.close();
});

test("an administrator with a token logs out of the portal although it cannot be reached", async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${addresses.portal}/portal/`);
  await page.getByLabel("Access token").fill(accessToken);
  await page.getByRole("button", { name: "Open the administration" }).click();
  await page.getByText("No pending requests").waitFor();
  await context.setOffline(true);
  await page.getByRole("button", { name: "Log out" }).click();
  await page.getByRole("link", { name: "Sign in with Example" }).waitFor();
  await context.close();
});

test("users sign in to the management service by single sign-on", async () => {
  managementProvider.people.set("ops", { preferred_username: "ops" });
  managementProvider.person = "ops";
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${addresses.management}/#/audit`);
  await page.getByRole("link", { name: "Sign in with single sign-on" }).click();
  await page.getByRole("button", { name: "Log out" }).waitFor();
  await page.waitForURL(`${addresses.management}/#/audit`);
  await eventually(() => page.locator("#who").textContent(), "ops");
  assert.equal(await violations(page), []);
  // Logging out asks whether to discard a changed text, and discards it only if the session has ended.
  await page.goto(`${addresses.management}/#/new`);
  await page.getByText("Nothing is wrong.").waitFor();
  await page.locator("#editor .cm-content").click();
  await page.keyboard.insertText("# mine");
  await page.route("**/sign-in/end", (asked) => asked.abort(), { times: 1 });
  const leaves = async () => {
    await page.getByRole("button", { name: "Log out" }).click();
    await page.getByRole("button", { name: "Discard changes" }).click();
  };
  await leaves();
  await page.getByText("The server cannot be reached. Check your connection.").waitFor();
  await leaves();
  await page.waitForURL(`${managementProvider.issuer}/session/end**`);
  await context.close();
});

test.run();
