// A portal with a catalogue, a developer with a key and a webhook, and a pending request.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { buildAndStart } from "../e2e/gateway.ts";
import { keyedOrders } from "../harness/api-documents.ts";
import { temporaryDirectory } from "../harness/directories.ts";
import type { Scene, View } from "./scene.ts";

const token = "the-token-of-administrators";
const password = "correct horse battery";
const settings = `streaming: { enabled: true }
apis: [orders.yaml]
store: "\${STORE}"
portal: { enabled: true, organisation: acme, page: true }
policies:
  - { id: readers, rate: 100, per: 60, quota_max: 10000, quota_renewal_rate: 86400, access_rights: { orders: {} } }
  - { id: prices, access_rights: { orders: {} } }
`;
const document = {
  openapi: "3.1.0",
  info: { title: "Orders", version: "2.0.0", description: "Place orders, and follow what becomes of them." },
  servers: [{ url: "/orders" }],
  paths: {
    "/new": {
      post: {
        summary: "Places an order",
        requestBody: {
          content: {
            "application/json": {
              schema: {
                type: "object",
                required: ["id", "items"],
                properties: {
                  id: { type: "integer", description: "Number of the order." },
                  items: { type: "array", items: { type: "string" } },
                },
              },
            },
          },
        },
        responses: { 200: { description: "The order was taken." } },
      },
    },
    "/events": { get: { summary: "Follows orders as an event stream", responses: {} } },
  },
};

/** Starts the gateway and fills the portal. */
export async function portalScene(): Promise<Scene> {
  const folder = temporaryDirectory("pictures-portal");
  writeFileSync(join(folder, "gateway.yaml"), settings);
  writeFileSync(
    join(folder, "orders.yaml"),
    keyedOrders("{ portal_webhook: { event_type: order.created } }"),
  );
  const gateway = await buildAndStart([join(folder, "gateway.yaml")], {
    STORE: `sqlite:${join(folder, "gateway.db")}`,
    GW_PORTAL_ACCESS_TOKENS: token,
  });
  const ask = async (method: string, path: string, body?: object) => {
    const headers = { authorization: token, "content-type": "application/json" };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(`${gateway.url}/api/portal${path}`, { method, headers, ...sent });
    if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
    return (await answer.json()) as { Message: string };
  };
  const text = Buffer.from(JSON.stringify(document)).toString("base64");
  const { Message: documentation } = await ask("POST", "/documentation", { documentation: text });
  const orders = { name: "Orders", version: "v2", policy_id: "readers", show: true, documentation };
  await ask("POST", "/catalogue", {
    apis: [
      {
        ...orders,
        short_description: "Place orders, and follow what becomes of them.",
        webhooks: { enabled: true, events: ["order.created"] },
      },
      {
        name: "Prices",
        version: "v1",
        policy_id: "prices",
        show: true,
        short_description: "Prices as a stream, several times a second.",
      },
    ],
  });
  const { Message: ada } = await ask("POST", "/developers", { email: "ada@example.com", password });
  const { Message: grace } = await ask("POST", "/developers", { email: "grace@example.com", password });
  const { Message: first } = await ask("POST", "/requests", { by_user: ada, apply_policies: ["readers"] });
  await ask("PUT", `/requests/approve/${first}`);
  await askAs(gateway.url, "ada@example.com", "/requests", { policy: "prices" });
  const { Message: team } = await ask("POST", "/teams", { name: "Shipping" });
  await ask("PUT", `/teams/${team}/members/${ada}`, { role: "owner" });
  await ask("PUT", `/teams/${team}/members/${grace}`, { role: "member" });
  await ask("POST", `/teams/${team}/keys`, { apply_policies: ["readers"] });
  const address = `${gateway.url}/portal/`;
  return { views: viewsOf(address, team), close: async () => void (await gateway.program.stop()) };
}

/** Sends a request in the session of a developer. */
async function askAs(url: string, username: string, path: string, body: object): Promise<void> {
  const json = { "content-type": "application/json" };
  const post = (to: string, headers: Readonly<Record<string, string>>, sent: object) =>
    fetch(`${url}/portal${to}`, { method: "POST", headers, body: JSON.stringify(sent) });
  const entered = await post("/entrance/login", json, { username, password });
  const [cookie = ""] = entered.headers.getSetCookie()[0]?.split(";", 1) ?? [];
  const answer = await post(`/own${path}`, { ...json, cookie }, body);
  if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
}

function viewsOf(address: string, team: string): readonly View[] {
  const at = (name: string, view: string, title: string): View => ({
    name,
    async show(page) {
      await page.evaluate(`location.hash = ${JSON.stringify(view)}`);
      await page.getByRole("heading", { name: title, level: 1 }).waitFor();
      await page.waitForLoadState("networkidle");
    },
  });
  const logOut = (page: Page) => page.getByRole("button", { name: "Log out" }).click();
  return [
    {
      name: "portal-door",
      async show(page) {
        await page.goto(address);
        await page.getByRole("button", { name: "Log in" }).waitFor();
      },
    },
    {
      name: "portal-catalogue",
      async show(page) {
        const form = page.locator("#login");
        await form.getByLabel("E-mail").fill("ada@example.com");
        await form.getByLabel("Password", { exact: true }).fill(password);
        await page.getByRole("button", { name: "Log in" }).click();
        await page.getByText("You have access").waitFor();
      },
    },
    {
      name: "portal-documentation",
      async show(page) {
        await page.getByRole("link", { name: "Read about Orders" }).click();
        await page.getByText("Places an order").click();
      },
    },
    at("portal-keys", "/keys", "Your keys"),
    at("portal-apps", "/apps", "Apps and webhooks"),
    at("portal-teams", "/teams", "Teams"),
    at("portal-team", `/team/${team}`, "Shipping"),
    at("portal-team-keys", `/team/${team}/keys`, "Keys"),
    {
      name: "portal-requests",
      async show(page) {
        await logOut(page);
        await page.getByLabel("Access token").fill(token);
        await page.getByRole("button", { name: "Open the administration" }).click();
        await page.getByRole("button", { name: /^Approve/ }).waitFor();
      },
    },
    at("portal-developers", "/developers", "Developers"),
    at("portal-administrator-teams", "/teams", "Teams"),
    at("portal-policies", "/policies", "Policies"),
    at("portal-entries", "/catalogue", "Catalogue"),
    at("portal-mails", "/mails", "E-mails"),
    at("portal-texts", "/pages", "Pages"),
    at("portal-look", "/look", "Appearance"),
    at("portal-configuration", "/configuration", "Configuration"),
    at("portal-audit", "/audit", "Audit log"),
    at("portal-letters", "/letters", "E-mail texts"),
    {
      name: "portal-letter",
      async show(page) {
        await page.getByRole("button", { name: "Edit: Access" }).click();
        await page.getByLabel("Subject").fill("Your key for {{portal}}");
        await page.getByLabel("Text", { exact: true }).fill("Hello {{email}},\n\nhere is your key.");
      },
    },
  ];
}
