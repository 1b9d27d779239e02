import { test } from "uvu";
import * as assert from "uvu/assert";
import { createFailedLogins, type FailedLogins } from "../../../runtime/oauth/failed-logins.ts";
import { OauthError } from "../../../runtime/oauth/oauth-error.ts";
import { secrets, serveOauth, shop, till } from "./served.ts";

/** How many attempts are let through before one is refused. */
function failuresOf(
  logins: FailedLogins,
  clientOf: (turn: number) => string,
  addressOf: (turn: number) => string,
) {
  for (let turn = 0; turn < 1_000; turn += 1)
    if (logins.begin(clientOf(turn), addressOf(turn)) instanceof OauthError) return turn;
  return 1_000;
}

test("failures are counted by address and by client, and forgotten after a minute", () => {
  let now = 0;
  const logins = createFailedLogins(() => now);
  assert.is(
    failuresOf(logins, String, () => "192.0.2.1"),
    20,
  );
  assert.is(
    failuresOf(
      logins,
      () => "shop",
      (turn) => `198.51.100.${turn}`,
    ),
    100,
  );
  const refused = logins.begin("other", "192.0.2.1");
  assert.ok(refused instanceof OauthError);
  assert.equal([refused.status, refused.headers["retry-after"]], [429, "60"]);
  assert.not(logins.begin("other", "192.0.2.2") instanceof OauthError);
  now = 59_999;
  assert.ok(logins.begin("other", "192.0.2.1") instanceof OauthError);
  now = 60_000;
  assert.not(logins.begin("other", "192.0.2.1") instanceof OauthError);
});

test("an address of IPv6 is as good as its neighbours", () => {
  const logins = createFailedLogins(() => 0);
  assert.is(
    failuresOf(logins, String, (turn) => `2001:db8:0:1::${turn.toString(16)}`),
    20,
  );
  assert.ok(logins.begin("a", "2001:DB8::1:ffff:0:0:1") instanceof OauthError);
  assert.not(logins.begin("a", "2001:db8:0:2::1") instanceof OauthError);
});

test("successes count for nothing, and nobody is locked out where it has succeeded", () => {
  const logins = createFailedLogins(() => 0);
  for (let turn = 0; turn < 200; turn += 1) {
    const attempt = logins.begin("shop", "192.0.2.1");
    if (attempt instanceof OauthError) throw new Error("a success was counted");
    attempt.succeeded();
  }
  assert.is(
    failuresOf(
      logins,
      () => "shop",
      (turn) => `198.51.100.${turn}`,
    ),
    100,
  );
  assert.not(logins.begin("shop", "192.0.2.1") instanceof OauthError);
  assert.ok(logins.begin("shop", "192.0.2.2") instanceof OauthError);
});

test("however many names and addresses fail, no more than ten thousand are kept", () => {
  const logins = createFailedLogins(() => 0);
  failuresOf(
    logins,
    () => "shop",
    () => "first",
  );
  for (let turn = 0; turn < 10_001; turn += 1) logins.begin(`client ${turn}`, `address ${turn}`);
  assert.not(logins.begin("shop", "first") instanceof OauthError);
});

test("whoever guesses secrets is told to wait, at every endpoint, with the right one, too", async () => {
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
  assert.is((await oauth.ask("token", form, shop)).status, 429);
  await oauth.close();
});

test.run();
