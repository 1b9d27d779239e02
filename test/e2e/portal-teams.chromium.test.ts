// Teams on the portal's page: created, joined by invitation, used for a key, and left; and shown to administrators.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { keyedOrders } from "../harness/api-documents.ts";
import { chromium } from "../harness/chromium.ts";
import { temporaryDirectory } from "../harness/directories.ts";
import { newVisitor, type Visitor, widthIn } from "../harness/visitor.ts";
import { eventually } from "../harness/wait.ts";
import { buildAndStart } from "./gateway.ts";

const token = "the-token-of-administrators";
const password = "correct horse battery";
const settings = `streaming: { enabled: true }
apis: [orders.yaml]
store: "\${STORE}"
portal: { enabled: true, organisation: acme, page: true }
policies:
  - { id: readers, access_rights: { orders: {} } }
`;
const folder = temporaryDirectory("portal-teams");
writeFileSync(join(folder, "gateway.yaml"), settings);
writeFileSync(join(folder, "orders.yaml"), keyedOrders("{ drop: {} }"));
const gateway = await buildAndStart([join(folder, "gateway.yaml")], {
  STORE: `sqlite:${join(folder, "gateway.db")}`,
  GW_PORTAL_ACCESS_TOKENS: token,
});
async function portal(method: string, path: string, body?: object) {
  const response = await fetch(`${gateway.url}/api/portal${path}`, {
    method,
    headers: { authorization: token, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  assert.is(response.status, 200, await response.clone().text());
  return (await response.json()) as { Message: string; Data: readonly { id: string }[] };
}
await portal("POST", "/catalogue", { apis: [{ name: "Orders", policy_id: "readers", show: true }] });
for (const name of ["ada", "grace"]) {
  await portal("POST", "/developers", { email: `${name}@example.com`, password });
}

const browser = await chromium();

async function visitorOf(name: string): Promise<Visitor> {
  const visitor = await newVisitor(browser);
  const { page } = visitor;
  await page.goto(`${gateway.url}/portal/`);
  await page.locator("#login").getByLabel("E-mail").fill(`${name}@example.com`);
  await page.locator("#login").getByLabel("Password", { exact: true }).fill(password);
  await visitor.press("Log in");
  await page.getByRole("heading", { name: "Catalogue" }).waitFor();
  return visitor;
}

const inDialog = ({ page }: Visitor) => page.getByRole("dialog");

test("members share the keys of a team", async () => {
  const ada = await visitorOf("ada");
  await ada.follow("Teams");
  await ada.page.getByText("You are not in a team yet.").waitFor();
  await ada.press("New team");
  await inDialog(ada).getByLabel("Name").fill("Shipping");
  await ada.press("Create team");
  await ada.says("The team was created.");
  await ada.page.getByRole("heading", { name: "Shipping", level: 1 }).waitFor();
  await ada.press("Invite a developer");
  await inDialog(ada).getByLabel("E-mail address").fill("grace@example.com");
  await inDialog(ada).getByRole("button", { name: "Invite", exact: true }).click();
  await ada.says("grace@example.com was invited.");
  await ada.isFitForAll("team");
  // The dialog returns the focus to the button that opened it.
  const leave = ada.page.getByRole("button", { name: "Leave: ada@example.com" });
  await leave.press("Enter");
  await inDialog(ada).waitFor();
  await ada.page.keyboard.press("Escape");
  await eventually(() => leave.evaluate((button) => button.matches(":focus")), true);
  // The form shows the reason if the team cannot do something.
  await ada.press("Leave: ada@example.com");
  await ada.press(/^Leave$/);
  await ada.page.getByText("The team would have no owner.").waitFor();

  const grace = await visitorOf("grace");
  await grace.follow("Teams");
  await grace.page.getByText("You have been invited").waitFor();
  await grace.isFitForAll("invitation");
  await grace.press("Accept: Shipping");
  await grace.says("You joined Shipping.");
  await grace.follow("Shipping");
  await grace.page.getByRole("heading", { name: "Shipping", level: 1 }).waitFor();
  await eventually(() => grace.page.getByRole("button", { name: "Delete team" }).count(), 0);
  await grace.page.context().setOffline(true);
  await grace.follow("Your keys");
  await grace.page.getByText("The server cannot be reached.").waitFor();
  // Another view may have shown the reason: this one has to try again itself.
  await grace.page.getByRole("heading", { name: "Your keys", level: 1 }).waitFor();
  await grace.page.getByRole("button", { name: "Try again" }).waitFor();
  await grace.page.context().setOffline(false);
  await grace.press("Try again");
  await grace.page.getByText("No keys yet").waitFor();
  await grace.page.goBack();
  const ofTeam = grace.page.getByRole("navigation", { name: "Views" }).locator("section", {
    has: grace.page.getByRole("heading", { name: "Shipping" }),
  });
  await ofTeam.getByRole("link", { name: "Catalogue" }).click();
  await grace.press("Ask for access: Orders");
  await inDialog(grace).getByRole("button", { name: "Ask for access" }).click();
  await grace.says("Asked. An administrator has to approve it.");

  const admin = await newVisitor(browser);
  await admin.page.goto(`${gateway.url}/portal/`);
  await admin.page.getByLabel("Access token").fill(token);
  await admin.press("Open the administration");
  await admin.press("Approve: Orders by Team Shipping");
  await admin.press("I have it");
  await admin.follow("Teams");
  await admin.press("Make owner: grace@example.com");
  await admin.says("Saved.");
  await eventually(
    async () => (await admin.rowsOf("#teams")).map(([name, , state, keys]) => [name, state, keys]),
    [["Shipping", "active", "1"]],
  );
  await admin.isFitForAll("administrators' teams");

  await ofTeam.getByRole("link", { name: "Keys" }).click();
  await grace.page.getByRole("heading", { name: "Keys", level: 1 }).waitFor();
  await grace.isFitForAll("keys of the team");
  await grace.page.getByRole("button", { name: /^Replace/ }).click();
  await grace.press("Replace it");
  await grace.press("I have it");
  await grace.follow("Your keys");
  await grace.page.getByText("No keys yet").waitFor();

  await portal("POST", "/teams", { name: "x".repeat(80) });
  await admin.page.reload();
  await admin.page.getByLabel("Access token").fill(token);
  await admin.press("Open the administration");
  await admin.page.getByText("x".repeat(80)).waitFor();
  assert.is(await widthIn(admin.page, 768), 768, "a long name does not widen the page");

  // An owner whose page shows the team as it was before the change of its roles does not overwrite that change.
  await ada.page.keyboard.press("Escape");
  for (const [act, submit] of [
    ["Rename", "Save"],
    ["Delete team", "Delete"],
  ] as const) {
    await ada.press(act);
    await inDialog(ada).getByRole("button", { name: submit, exact: true }).click();
    await ada.page.getByText("Somebody else has changed this since you opened it.").waitFor();
    await ada.page.keyboard.press("Escape");
  }
  await ada.page.reload();
  await ada.press("Rename");
  await inDialog(ada).getByRole("button", { name: "Save", exact: true }).click();
  await ada.says("Saved.");
  await ada.press("Leave: ada@example.com");
  await ada.press(/^Leave$/);
  await ada.says("You left Shipping.");
  for (const { complaints, unfit } of [ada, grace, admin]) assert.equal([complaints, unfit], [[], []]);
});

test.after(async () => {
  await browser.close();
  assert.is(await gateway.program.stop(), 0);
});

test.run();
