import { test } from "uvu";
import * as assert from "uvu/assert";
import { until } from "../../harness/wait.ts";
import { freshFile, testedDatabases } from "../store/databases.ts";
import { createPolicy, developerRecord, inStore, startPortal, type TestPortal, tokens } from "./portals.ts";

const other = { authorization: tokens.other };
const never = "0001-01-01T00:00:00Z";

async function signUp(portal: TestPortal, body: object): Promise<string> {
  const answer = await portal.ask("POST", "/developers", body);
  assert.is(answer.status, 200, JSON.stringify(answer.body));
  return answer.body.Message;
}

async function logIn(portal: TestPortal, username: string, password: string, headers = {}): Promise<number> {
  const { status } = await portal.ask(
    "POST",
    "/developers/verify_credentials",
    { username, password },
    headers,
  );
  return status;
}

async function change({ address }: TestPortal, id: string, more: object): Promise<void> {
  await inStore(address, async (connection) => {
    const table = connection.selectFrom("portal_developers").select("record").where("id", "=", id);
    const { record } = await table.executeTakeFirstOrThrow();
    await connection
      .updateTable("portal_developers")
      .set({ record: JSON.stringify({ ...JSON.parse(record), ...more }) })
      .where("id", "=", id)
      .execute();
  });
}

/** Counts the rows of a developer in each table that can contain any. */
function countRows({ address }: TestPortal): Promise<Readonly<Record<string, number>>> {
  const tables = [
    "portal_developers",
    "portal_requests",
    "keys",
    "oauth_clients",
    "portal_apps",
    "webhook_subscriptions",
    "webhook_dead_deliveries",
  ] as const;
  return inStore(address, async (connection) => {
    const counts: Record<string, number> = {};
    for (const table of tables) {
      const { total } = await connection
        .selectFrom(table)
        .select(({ fn }) => fn.countAll<number>().as("total"))
        .executeTakeFirstOrThrow();
      counts[table] = total;
    }
    return counts;
  });
}

for (const [title, fresh] of testedDatabases()) {
  test(`${title}: developers are created, read in three ways, replaced, listed and deleted`, async () => {
    const portal = await startPortal(await fresh());
    const id = await signUp(portal, {
      email: "Ann+1@Example.com",
      password: "secret of Ann",
      fields: { team: "a" },
      sso_key: "sso/ ä?",
      keys: { stolen: ["x"] },
      PWHistory: ["x"],
      org_id: "other",
      unknown: 1,
    });
    const { body } = await portal.ask("GET", `/developers/${id}`);
    const { date_created: created, password_updated: updated, ...record } = body;
    assert.ok(Date.parse(String(updated)) >= Date.parse(String(created)));
    assert.equal(record, {
      id,
      email: "Ann+1@Example.com",
      inactive: false,
      org_id: "acme",
      keys: {},
      subscriptions: {},
      fields: { team: "a" },
      nonce: "",
      sso_key: "sso/ ä?",
      oauth_clients: {},
      password_max_days: 0,
      PWHistory: [],
      last_login_date: never,
    });
    for (const path of [
      "email/Ann+1@Example.com",
      "email/ann%2B1%40EXAMPLE.com",
      `ssokey/${encodeURIComponent("sso/ ä?")}`,
    ]) {
      assert.equal((await portal.ask("GET", `/developers/${path}`)).body, body, path);
    }
    const replaced = await portal.ask("PUT", `/developers/${id}`, { ...body, nonce: "n", sso_key: "" });
    assert.equal(replaced.body, { Status: "OK", Message: "Data updated", Meta: null });
    assert.equal((await portal.ask("GET", `/developers/${id}`)).body, { ...body, nonce: "n", sso_key: "" });
    assert.is(await logIn(portal, "ann+1@example.com", "secret of Ann"), 200);
    const second = await signUp(portal, { email: "bob@example.com" });
    const ids = async (query: string) =>
      (await portal.ask("GET", `/developers${query}`)).body.Data.map((each) => each.id);
    assert.equal(await ids(""), [id, second]);
    assert.equal(await ids("?p=2&page_size=1"), [second]);
    const deleted = await portal.ask("DELETE", `/developers/${id}`);
    assert.equal(deleted.body, { Status: "OK", Message: "Data deleted", Meta: null });
    for (const path of [id, "email/ann+1@example.com", "ssokey/"]) {
      assert.is((await portal.ask("GET", `/developers/${path}`)).status, 404, path);
    }
    assert.is((await portal.ask("DELETE", `/developers/${id}`)).status, 404);
    await portal.close();
  });

  test(`${title}: addresses and SSO keys are unique in an organisation`, async () => {
    const portal = await startPortal(await fresh());
    const ann = await signUp(portal, { email: "ann@example.com", sso_key: "ann" });
    const bob = await signUp(portal, { email: "bob@example.com" });
    const taken = {
      Status: "Error",
      Message: "A developer with that e-mail address or SSO key already exists.",
      Meta: null,
    };
    for (const body of [{ email: "ANN@example.com" }, { email: "c@example.com", sso_key: "ann" }]) {
      const made = await portal.ask("POST", "/developers", body);
      assert.equal([made.status, made.body], [409, taken]);
      assert.is((await portal.ask("PUT", `/developers/${bob}`, body)).status, 409);
      assert.is((await portal.ask("POST", "/developers", body, other)).status, 200);
    }
    assert.is((await portal.ask("GET", `/developers/${bob}`)).body.email, "bob@example.com");
    // The other organisation has no access to developers of this one.
    const paths = [ann, "email/bob@example.com"];
    for (const path of paths) {
      assert.is((await portal.ask("GET", `/developers/${path}`, undefined, other)).status, 404, path);
    }
    for (const [method, path, body] of [
      ["PUT", ann, { email: "x@example.com" }],
      ["DELETE", ann, undefined],
      ["POST", `password/${ann}`, { password: "another one" }],
      ["POST", `${ann}/keys`, { apply_policies: ["x"] }],
    ] as const) {
      const { status } = await portal.ask(method, `/developers/${path}`, body, other);
      assert.ok(status === 404 || status === 400, `${method} ${path}`);
    }
    assert.is((await portal.ask("GET", "/developers?p=-1")).body.Data.length, 2);
    await portal.close();
  });

  test(`${title}: passwords are verified, changed by the rules, and never exposed`, async () => {
    const portal = await startPortal(await fresh());
    const email = "ann@example.com";
    const id = await signUp(portal, { email, password: "first one" });
    assert.is(await logIn(portal, email, "first one"), 200);
    assert.is(await logIn(portal, email, "first One"), 401);
    assert.is(await logIn(portal, email, "first one", other), 401);
    assert.is(await logIn(portal, "nobody@example.com", "first one"), 401);
    const { last_login_date: seen } = (await portal.ask("GET", `/developers/${id}`)).body;
    assert.ok(Date.parse(String(seen)) > Date.parse("2020-01-01"));

    const set = async (password: string) => {
      const { status, body } = await portal.ask("POST", `/developers/password/${id}`, { password });
      return [status, body.Message, body.Errors ?? []];
    };
    const failed = (...errors: readonly string[]) => [400, "Developer password validation failed.", errors];
    assert.equal(await set("short"), failed("password: String length must be greater than or equal to 6"));
    assert.equal(
      await set("x".repeat(257)),
      failed("password: String length must be less than or equal to 256"),
    );
    assert.equal(await set("Ann@example.com"), failed("password: Must not be the e-mail address"));
    const again = failed("password: Must not be one of the last passwords");
    assert.equal(await set("first one"), again);
    for (const index of [2, 3, 4, 5, 6]) {
      assert.equal(await set(`password ${index}`), [200, "Password changed", []]);
      assert.equal(await set("first one"), again);
    }
    assert.equal(await set("password 7"), [200, "Password changed", []]);
    // Until now this password was one of the last five before the current one.
    assert.equal(await set("first one"), [200, "Password changed", []]);
    assert.is(await logIn(portal, email, "password 7"), 401);
    assert.is(await logIn(portal, email, "first one"), 200);

    const { body } = await portal.ask("GET", `/developers/${id}`);
    const put = (more: object) => portal.ask("PUT", `/developers/${id}`, { ...body, ...more });
    const refused = await put({ password: "password 7", inactive: true });
    assert.equal(
      [refused.status, refused.body.Message, refused.body.Errors],
      [400, "Developer object validation failed.", ["password: Must not be one of the last passwords"]],
    );
    assert.is((await portal.ask("GET", `/developers/${id}`)).body.inactive, false);
    assert.is((await put({ password: "by the record" })).status, 200);
    assert.is(await logIn(portal, email, "by the record"), 200);

    const kept = await developerRecord(portal, id);
    assert.ok(String(kept.password).startsWith("$argon2id$"));
    assert.is(Object(kept.PWHistory).length, 5);
    const everything = await Promise.all(
      ["/developers", `/developers/${id}`, `/developers/email/${email}`].map(
        async (path) => (await portal.ask("GET", path)).body,
      ),
    );
    const reported = JSON.stringify([everything, portal.lines]);
    for (const secret of ["$argon2", "by the record", "password 7"]) assert.not.ok(reported.includes(secret));
    await portal.close();
  });

  test(`${title}: inactive developers and expired passwords cannot log in`, async () => {
    const portal = await startPortal(await fresh());
    const [email, password] = ["ann@example.com", "secret of Ann"];
    const policy = await createPolicy(portal, "gold");
    const id = await signUp(portal, { email, password, password_max_days: 2 });
    const day = 86_400_000;
    await change(portal, id, { password_updated: new Date(Date.now() - 1.9 * day).toISOString() });
    assert.is(await logIn(portal, email, password), 200);
    await change(portal, id, { password_updated: new Date(Date.now() - 2.1 * day).toISOString() });
    const login = { username: email, password };
    const late = await portal.ask("POST", "/developers/verify_credentials", login);
    assert.equal([late.status, late.body.Message], [401, "The password has expired."]);
    assert.is((await portal.ask("POST", `/developers/password/${id}`, { password: "new one" })).status, 200);
    assert.is(await logIn(portal, email, "new one"), 200);

    const { body: key } = await portal.ask("POST", `/developers/${id}/keys`, { apply_policies: [policy] });
    const headers = { "X-Api-Key": key.RawKey };
    assert.is(await portal.call(headers), 200);
    const { body } = await portal.ask("GET", `/developers/${id}`);
    assert.is((await portal.ask("PUT", `/developers/${id}`, { ...body, inactive: true })).status, 200);
    const wrong = await portal.ask("POST", "/developers/verify_credentials", {
      username: email,
      password: "new one",
    });
    assert.equal([wrong.status, wrong.body.Message], [401, "Not authorised"]);
    await until(async () => (await portal.call(headers)) === 403);
    for (const [path, asked] of [
      ["/requests", { by_user: id, apply_policies: [policy] }],
      [`/developers/${id}/keys`, { apply_policies: [policy] }],
    ] as const) {
      const refused = await portal.ask("POST", path, asked);
      assert.equal([refused.status, refused.body.Message], [400, "The developer is inactive."]);
    }
    await portal.ask("PUT", `/developers/${id}`, { ...body, inactive: false });
    await until(async () => (await portal.call(headers)) === 200);
    await portal.close();
  });

  test(`${title}: deleting a developer deletes everything that belongs to it`, async () => {
    const portal = await startPortal(await fresh());
    const policy = await createPolicy(portal, "gold");
    const stays = await signUp(portal, { email: "bob@example.com" });
    const kept = await portal.ask("POST", `/developers/${stays}/keys`, { apply_policies: [policy] });
    const before = await countRows(portal);
    const id = await signUp(portal, { email: "ann@example.com" });
    await portal.ask("POST", "/requests", { by_user: id, apply_policies: [policy] });
    const { body } = await portal.ask("POST", `/developers/${id}/keys`, { apply_policies: [policy] });
    const client = await portal.ask("POST", `/developers/${id}/keys`, {
      apply_policies: [policy],
      oauth_info: { redirect_uri: "https://a.example/back" },
    });
    assert.equal(Object.keys(client.body), ["client_id", "secret", "policy_id", "redirect_uri"]);
    await inStore(portal.address, async (connection) => {
      const row = { org_id: "acme", record: "{}" };
      await connection
        .insertInto("portal_apps")
        .values({ ...row, id: "a", developer_id: id })
        .execute();
      const subscription = { ...row, id: "s", app_id: "a" };
      await connection.insertInto("webhook_subscriptions").values(subscription).execute();
      const dead = { ...row, id: "d", subscription_id: "s", date_created: "2026-01-01T00:00:00.000Z" };
      await connection.insertInto("webhook_dead_deliveries").values(dead).execute();
    });
    assert.is(await portal.call({ "X-Api-Key": body.RawKey }), 200);
    const counts = await countRows(portal);
    assert.ok(Object.entries(counts).every(([table, count]) => count > (before[table] ?? 0)));
    assert.is((await portal.ask("DELETE", `/developers/${id}`)).status, 200);
    assert.equal(await countRows(portal), before);
    await until(async () => (await portal.call({ "X-Api-Key": body.RawKey })) === 403);
    assert.is(await portal.call({ "X-Api-Key": kept.body.RawKey }), 200);
    const granted = await fetch(`${portal.url}/oauth/token`, {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "client_credentials",
        client_id: String(client.body.client_id),
        client_secret: String(client.body.secret),
      }),
    });
    await granted.arrayBuffer();
    assert.is(granted.status, 401);
    await portal.close();
  });
}

test("bcrypt hashes are accepted, and replaced by argon2 after a login", async () => {
  const portal = await startPortal(await freshFile());
  const email = "ann@example.com";
  // The hash of `secret of Ann`, with the lowest cost.
  const { hash } = await import("bcryptjs");
  const bcrypt = await hash("secret of Ann", 4);
  const id = await signUp(portal, { email, password: bcrypt });
  assert.is((await developerRecord(portal, id)).password, bcrypt);
  assert.is(await logIn(portal, email, bcrypt), 401);
  assert.is(await logIn(portal, email, "secret of Ann"), 200);
  assert.ok(String((await developerRecord(portal, id)).password).startsWith("$argon2id$"));
  assert.is(await logIn(portal, email, "secret of Ann"), 200);
  const dear = await portal.ask("POST", "/developers", {
    email: "b@example.com",
    password: bcrypt.replace("$04$", "$31$"),
  });
  assert.equal(dear.body.Errors, ["password: Cost of bcrypt must be less than or equal to 14"]);
  await portal.close();
});

test("invalid bodies are rejected with the reasons", async () => {
  const portal = await startPortal(await freshFile());
  const errors = async (body: unknown) => {
    const answer = await portal.ask("POST", "/developers", body);
    return [answer.status, answer.body.Message, answer.body.Errors];
  };
  const failed = "Developer object validation failed.";
  assert.equal(await errors({ email: "ann", password: "short" }), [
    400,
    failed,
    ["email: Does not match format 'email'", "password: String length must be greater than or equal to 6"],
  ]);
  assert.equal(await errors({ email: 1 }), [422, failed, ["email: must be string"]]);
  for (const email of [
    "a@b@c",
    "a b@c",
    "a@b\r\nBcc: c@d",
    "a@b,c@d",
    "<a@b>",
    "@b",
    "a@",
    "a..b@c",
    "a@b..c",
    "a@-b",
    `${"a".repeat(65)}@b`,
    `a@${"b.".repeat(130)}c`,
    '"a"@b',
    "a@[127.0.0.1]",
  ]) {
    assert.is((await errors({ email }))[0], 400, email);
  }
  assert.is((await portal.ask("GET", "/developers")).body.Data.length, 0);
  await portal.close();
});

test("password guessing is limited, whether the account exists or not", async () => {
  const portal = await startPortal(await freshFile());
  const email = "ann@example.com";
  await signUp(portal, { email, password: "secret of Ann" });
  for (const username of [email, "nobody@example.com"]) {
    const statuses = await Promise.all(
      Array.from({ length: 12 }, (_, index) => logIn(portal, username, `guess ${index}`)),
    );
    assert.equal(statuses.toSorted(), [...Array(10).fill(401), 429, 429], username);
  }
  // Now even the correct password is not checked; another organisation is not affected.
  const late = await portal.ask("POST", "/developers/verify_credentials", {
    username: "ANN@example.com",
    password: "secret of Ann",
  });
  assert.is(late.status, 429);
  assert.ok(Number(late.headers.get("retry-after")) > 0);
  assert.is(await logIn(portal, email, "secret of Ann", other), 401);
  await portal.close();
});

test.run();
