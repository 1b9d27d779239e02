// The page on which users authorize clients, in a browser: what users read and do, and what can go wrong.

import { createHash } from "node:crypto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { plainHttpServerInput } from "../../../runtime/connectors/http-server/input.ts";
import { hashPassword } from "../../../runtime/keys/argon.ts";
import { configuredKeys } from "../../../runtime/keys/configured-keys.ts";
import { passwordTest } from "../../../runtime/keys/passwords.ts";
import { authorizationEndpoint } from "../../../runtime/oauth/authorization-endpoint.ts";
import { deviceAuthorization } from "../../../runtime/oauth/device-authorization.ts";
import { oauthServer } from "../../../runtime/oauth/oauth-server.ts";
import { chromium } from "../../harness/chromium.ts";
import { newVisitor } from "../../harness/visitor.ts";
import { eventually } from "../../harness/wait.ts";
import { memoryOutput } from "../gateway/components.ts";
import { ordersApi, startGateway } from "../gateway/start-gateway.ts";

/** No program listens there: the browser's request interception responds. */
const redirectUri = "http://localhost:9/back";
const name = `The shop with a${"-very".repeat(30)}-long name`;

const password = passwordTest(await hashPassword("correct horse"));
const intake = () => ({ input: plainHttpServerInput({ path: "/new" }), output: memoryOutput() });
const gateway = await startGateway([ordersApi({ intake })], {
  parts: {
    keys: () =>
      configuredKeys({
        policies: [{ id: "gold", access_rights: { orders: {} } }],
        keys: [{ username: "ann", basic_auth_data: { password }, access_rights: { orders: {} } }],
      }),
    oauth: () =>
      oauthServer({
        clients: [
          {
            client_id: "shop",
            secret_hash: createHash("sha256").update("secret").digest("hex"),
            policy_id: "gold",
            redirect_uri: redirectUri,
            scopes: ["orders:read", `orders:${"write".repeat(30)}`],
            app_description: name,
            device_authorization: true,
          },
        ],
        authorization_code: authorizationEndpoint,
        device_authorization: deviceAuthorization,
      }),
  },
});

const browser = await chromium();
const { page, complaints, unfit, press, isFitForAll } = await newVisitor(browser);
await page.route(`${redirectUri}*`, (route) => route.fulfill({ body: "back at the shop" }));

/** Returns the address of the consent page. */
function addressOf(more: Readonly<Record<string, string>> = {}): string {
  const challenge = createHash("sha256").update("v".repeat(43)).digest("base64url");
  const parameters = {
    ...{ client_id: "shop", redirect_uri: redirectUri, response_type: "code", state: "a state" },
    ...{ code_challenge: challenge, code_challenge_method: "S256", ...more },
  };
  return `${gateway.url}/oauth/authorize?${new URLSearchParams(parameters)}`;
}

async function logIn(user: string, secret: string): Promise<void> {
  await page.getByLabel("User name").fill(user);
  await page.getByLabel("Password").fill(secret);
}

test("a user who mistypes the password sees an error, then returns to the client with a code", async () => {
  await page.goto(addressOf());
  await page.getByRole("heading", { name: `Allow ${name}?` }).waitFor();
  await eventually(() => page.evaluate("document.activeElement.id"), "username");
  await page.getByText("orders:read", { exact: true }).waitFor();
  await isFitForAll("consent");
  await logIn('ann" autofocus x="<b>', "wrong");
  await press("Allow");
  await eventually(() => page.getByRole("alert").count(), 1);
  await eventually(() => page.getByLabel("User name").inputValue(), 'ann" autofocus x="<b>');
  await eventually(() => page.getByLabel("Password").inputValue(), "");
  await eventually(() => page.evaluate("document.activeElement.id"), "password");
  await isFitForAll("a wrong password");
  await logIn("ann", "correct horse");
  await page.keyboard.press("Enter");
  await page.getByText("back at the shop").waitFor();
  const back = new URL(page.url()).searchParams;
  assert.ok(back.get("code"));
  assert.is(back.get("state"), "a state");
});

test("a user who denies returns without a code", async () => {
  await page.goto(addressOf());
  await press("Deny");
  await page.getByText("back at the shop").waitFor();
  const back = new URL(page.url()).searchParams;
  assert.equal([back.get("error"), back.get("code")], ["access_denied", null]);
});

test("an invalid request shows an error, and redirects nowhere", async () => {
  await page.goto(addressOf({ redirect_uri: "https://attacker.example/back" }));
  await page.getByRole("alert").waitFor();
  await eventually(() => new URL(page.url()).origin, gateway.url);
  await isFitForAll("a request that cannot be answered");
});

test("a user who mistypes the device code sees an error, then allows the device", async () => {
  const asked = await fetch(`${gateway.url}/oauth/device_authorization`, {
    method: "POST",
    body: new URLSearchParams({ client_id: "shop", client_secret: "secret" }),
  });
  const { user_code: code, verification_uri: address } = Object(await asked.json());
  await page.goto(address);
  await isFitForAll("the code of a device");
  await page.getByLabel("Code").fill("bbbb-bbbb");
  await press("Continue");
  await page.getByText("This code is unknown").waitFor();
  await eventually(() => page.evaluate("document.activeElement.id"), "user_code");
  await isFitForAll("a wrong code");
  await page.getByLabel("Code").fill(code.toLowerCase());
  await press("Continue");
  await page.getByRole("heading", { name: `Allow ${name}?` }).waitFor();
  await isFitForAll("a device");
  await logIn("ann", "correct horse");
  await press("Allow");
  await page.getByRole("heading", { name: "Access was granted" }).waitFor();
  await isFitForAll("an allowed device");
});

test("the page is accessible, in light and dark mode, and on a phone", () => {
  assert.equal([complaints, unfit], [[], []]);
});

test.after(async () => {
  await browser.close();
  await gateway.close();
});

test.run();
