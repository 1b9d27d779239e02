import { test } from "uvu";
import * as assert from "uvu/assert";
import { configuredKeys } from "../../../runtime/keys/configured-keys.ts";
import { userTest } from "../../../runtime/oauth/authorization-endpoint.ts";
import { secrets, serveOauth, shop, till } from "./served.ts";

test("clients that guess secrets must wait, at every endpoint, even with the right secret", async () => {
  const oauth = await serveOauth();
  const form = { grant_type: "client_credentials" };
  assert.is((await oauth.ask("token", form)).status, 200);
  const guesses = Array.from({ length: 30 }, (_, turn) => oauth.ask("token", form, till, `guess ${turn}`));
  const statuses = (await Promise.all(guesses)).map(({ status }) => status);
  assert.is(statuses.filter((status) => status === 401).length, 20);
  assert.is(statuses.filter((status) => status === 429).length, 10);
  for (const endpoint of ["token", "revoke", "introspect"]) {
    const { status, headers, body } = await oauth.ask(endpoint, { ...form, token: "a" }, till, secrets.till);
    assert.equal([status, body.error], [429, "temporarily_unavailable"], endpoint);
    assert.ok(Number(headers.get("retry-after")) > 0);
  }
  // The client has authenticated successfully from this address before.
  assert.is((await oauth.ask("token", form, shop)).status, 200);
  await oauth.close();
});

test("failures of the store do not count as wrong passwords of a user", async () => {
  const store = { fails: true };
  const findUser = async () => {
    if (store.fails) throw new Error("the store is away");
    return undefined;
  };
  const verifyUser = userTest({ keys: { ...configuredKeys({}), findUser } });
  for (let turn = 0; turn < 20; turn++)
    assert.match(String(await verifyUser("ann", "blue", "192.0.2.1").catch(String)), "the store is away");
  store.fails = false;
  assert.is(await verifyUser("ann", "blue", "192.0.2.1"), "wrong", "it is verified and not delayed");
});

test.run();
