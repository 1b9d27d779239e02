import { test } from "uvu";
import * as assert from "uvu/assert";
import { portalPage } from "../../../runtime/portal/page/page.ts";
import { until } from "../../harness/wait.ts";
import { testedDatabases } from "../store/databases.ts";
import { createDeveloper, createPolicy, inStore, logIn, startPortal, tokens } from "./portals.ts";

const other = { authorization: tokens.other };

/** A configuration with every field of the contract. */
const configuration = {
  signup_fields: ["team"],
  key_request_fields: [{ name: "why" }],
  require_key_approval: true,
  redirect_on_key_request: false,
  redirect_to: "/keys",
  enable_multi_selection: false,
  disable_login: false,
  disable_signup: false,
  disable_auto_login: false,
  catalogue_login_only: false,
  oauth_usage_limit: 0,
  email: "portal@example.com",
  mail_options: {
    mail_from_name: "Portal",
    mail_from_email: "portal@example.com",
    email_copy: Object.fromEntries(
      ["welcome_email", "key_email", "reset_password_email"].map((name) => [
        name,
        { enabled: false, subject: "s", body: "b", sign_off: "o", hide_token_data: true },
      ]),
    ),
  },
  override: false,
  HashKeys: true,
};

for (const [title, fresh] of testedDatabases()) {
  test(`${title}: the configuration and the catalogue exist once, and are stored as sent`, async () => {
    const portal = await startPortal(await fresh(), [{ id: "gold" }, { id: "theirs", org_id: "other" }]);
    const entry = {
      name: "Orders",
      short_description: "a",
      long_description: "b",
      show: true,
      api_id: "orders",
      policy_id: "gold",
      documentation: "c",
      version: "v2",
      is_keyless: false,
      fields: { a: "b" },
      auth_type: "authToken",
      webhooks: { enabled: true, events: ["order.made"] },
      config: { ...configuration, id: "x", org_id: "y", oauth_usage_limit: -1 },
    };
    for (const [path, document] of [
      ["/configuration", configuration],
      ["/catalogue", { apis: [entry], email: "catalogue@example.com" }],
    ] as const) {
      const nothing = await portal.ask("GET", path);
      assert.equal([nothing.status, nothing.body.Message], [404, "Could not retrieve portal object."]);
      assert.is((await portal.ask("PUT", path, document)).status, 404, path);
      const made = await portal.ask("POST", path, { ...document, id: "x", org_id: "other", unknown: 1 });
      const id = made.body.Message;
      assert.equal([made.status, made.body], [200, { Status: "OK", Message: id, Meta: null }]);
      assert.equal((await portal.ask("GET", path)).body, { ...document, id, org_id: "acme" });
      const again = await portal.ask("POST", path, {});
      assert.equal(
        [again.status, again.body.Message],
        [409, `The organisation has a ${path.slice(1)} already.`],
      );
      assert.is((await portal.ask("GET", path, undefined, other)).status, 404);
      assert.is((await portal.ask("PUT", path, {}, other)).status, 404);
      assert.is((await portal.ask("POST", path, { email: "o" }, other)).status, 200);
      const replaced = await portal.ask("PUT", path, { email: "e" });
      assert.equal(replaced.body, { Status: "OK", Message: "Data updated", Meta: null });
      assert.equal((await portal.ask("GET", path)).body, { email: "e", id, org_id: "acme" });
      assert.is((await portal.ask("GET", path, undefined, other)).body.email, "o");
      const tag = { "if-match": (await portal.ask("GET", path)).headers.get("etag") ?? "" };
      const both = await Promise.all(["f", "g"].map((email) => portal.ask("PUT", path, { email }, tag)));
      assert.equal(both.map(({ status }) => status).toSorted(), [200, 412]);
      const [late] = both.filter(({ status }) => status === 412);
      assert.is(late?.body.Message, "The record has been changed meanwhile.");
    }
    const wrong = await portal.ask("PUT", "/catalogue", { apis: [{ config: { HashKeys: "yes" } }] });
    assert.equal([wrong.status, wrong.body.Errors], [422, ["apis.0.config.HashKeys: must be boolean"]]);
    await portal.close();
  });

  test(`${title}: an entry names an existing policy, and is offered while that exists`, async () => {
    const portal = await startPortal(
      await fresh(),
      [{ id: "configured" }, { id: "theirs", org_id: "other" }],
      { page: portalPage },
    );
    const stored = await createPolicy(portal, "stored");
    const entries = (...ids: readonly string[]) => ({
      apis: ids.map((policy_id) => ({ policy_id, show: true })),
    });
    const refused = (...errors: readonly string[]) => [422, "Catalogue object validation failed.", errors];
    const write = async (method: string, ...ids: readonly string[]) => {
      const { status, body } = await portal.ask(method, "/catalogue", entries(...ids));
      return status === 200 ? status : [status, body.Message, body.Errors];
    };
    const missing = (index: number, id: string) =>
      `apis.${index}.policy_id: \`${id}\` is not a policy of the organisation`;
    for (const method of ["POST", "PUT"]) {
      assert.equal(
        await write(method, "configured", "none", "theirs", "constructor"),
        refused(missing(1, "none"), missing(2, "theirs"), missing(3, "constructor")),
      );
      assert.equal(await write(method, "configured", "", stored), 200);
    }
    await portal.ask("POST", "/developers", { email: "ann@example.com", password: "correct horse" });
    const own = await logIn(portal, "ann@example.com", "correct horse");
    const offered = async () =>
      (await own("GET", "/catalogue")).body.Data.map((offer) => Object(offer).policy);
    assert.equal(await offered(), ["configured", stored]);
    await portal.ask("DELETE", `/policies/${stored}`);
    assert.equal(await offered(), ["configured"]);
    // A mistake that the catalogue already contains does not prevent other changes.
    assert.equal(await write("PUT", stored, "configured"), 200);
    assert.equal(await write("PUT", stored, "none"), refused(missing(1, "none")));
    assert.equal(await write("PUT", "configured"), 200);
    assert.equal(await write("PUT", stored), refused(missing(0, stored)));
    await portal.close();
  });

  test(`${title}: documentation is stored, read, listed and deleted`, async () => {
    const portal = await startPortal(await fresh());
    const documentation = Buffer.from("openapi: 3.1.0").toString("base64");
    const body = { api_id: "orders", doc_type: "swagger", documentation };
    const id = (await portal.ask("POST", "/documentation", body)).body.Message;
    const read = await portal.ask("GET", `/documentation/${id}`);
    const { date_created: _, ...record } = read.body;
    assert.equal(record, { id, org_id: "acme", ...body });
    assert.equal((await portal.ask("GET", "/documentation")).body, { Data: [read.body], Pages: 1 });
    for (const wrong of [{ documentation: "a b" }, { documentation: "" }, { ...body, doc_type: "x" }]) {
      assert.is((await portal.ask("POST", "/documentation", wrong)).status, 422);
    }
    const large = { documentation: "AAAA".repeat(300_000) };
    assert.is((await portal.ask("POST", "/documentation", large, other)).status, 200);
    for (const method of ["GET", "DELETE"]) {
      assert.is((await portal.ask(method, `/documentation/${id}`, undefined, other)).status, 404);
    }
    assert.equal((await portal.ask("DELETE", `/documentation/${id}`)).body.Message, "Data deleted");
    assert.is((await portal.ask("DELETE", `/documentation/${id}`)).status, 404);
    await portal.close();
  });

  test(`${title}: an entry's configuration overrides the organisation's`, async () => {
    const portal = await startPortal(await fresh());
    const own = await createPolicy(portal, "own", { key_expires_in: 3600 });
    const general = await createPolicy(portal, "general");
    const user = await createDeveloper(portal);
    await portal.ask("POST", "/configuration", { require_key_approval: false, oauth_usage_limit: 5 });
    const entries = (override: boolean) => ({
      apis: [
        { policy_id: own, auth_type: "oauth", config: { override, oauth_usage_limit: 1 } },
        {
          policy_id: general,
          config: { override, enable_multi_selection: true, require_key_approval: false },
        },
      ],
    });
    await portal.ask("POST", "/catalogue", entries(false));
    const request = async (policy: string) => {
      const { body } = await portal.ask("POST", "/requests", { by_user: user, apply_policies: [policy] });
      return { id: body.Message, credential: body.Meta };
    };
    const limitOf = async (credential: unknown) => {
      const row = await inStore(portal.address, (connection) =>
        connection
          .selectFrom("oauth_clients")
          .select("record")
          .where("client_id", "=", String(Object(credential).client_id))
          .executeTakeFirstOrThrow(),
      );
      return JSON.parse(row.record).oauth_usage_limit;
    };
    const first = await request(own);
    assert.is(await limitOf(first.credential), 5);
    await portal.ask("PUT", "/catalogue", entries(true));
    // The entry does not mention approval, so approval is required.
    const second = await request(own);
    assert.is(second.credential, null);
    const { body } = await portal.ask("PUT", `/requests/approve/${second.id}`);
    assert.is(await limitOf(body), 1);
    assert.is.not(Object((await request(general)).credential).RawKey, "");
    assert.is(Object((await request(general)).credential).RawKey, "");
    await portal.close();
  });

  test(`${title}: keys are added, changed, expire with their policies, and are revoked`, async () => {
    const portal = await startPortal(await fresh());
    const gold = await createPolicy(portal, "gold", { quota_max: 2, quota_renewal_rate: 3600 });
    const short = await createPolicy(portal, "short", { key_expires_in: 3600 });
    const none = await createPolicy(portal, "none", { access_rights: {} });
    const user = await createDeveloper(portal);
    const keys = `/developers/${user}/keys`;
    const { body } = await portal.ask("POST", keys, { apply_policies: [gold], fields: { a: "b" } });
    const headers = { "X-Api-Key": body.RawKey };
    const developer = async () => (await portal.ask("GET", `/developers/${user}`)).body;
    const [id = ""] = Object.keys(Object((await developer()).keys));
    assert.equal(await portal.call(headers), 200);
    assert.equal(await portal.call(headers), 200);
    assert.is.not(await portal.call(headers), 200);
    assert.is((await portal.ask("POST", `${keys}/${id}/reset_quota`)).body.Message, "Data updated");
    await until(async () => (await portal.call(headers)) === 200);

    assert.is((await portal.ask("PUT", `${keys}/${id}`, { apply_policies: [none] })).status, 200);
    assert.equal(Object((await developer()).keys), { [id]: [none] });
    assert.equal(Object((await developer()).subscriptions), { [none]: id });
    await until(async () => (await portal.call(headers)) === 403);
    await portal.ask("PUT", `${keys}/${id}`, { apply_policies: [gold, short] });
    const expiry = await inStore(portal.address, async (connection) => {
      const { record } = await connection.selectFrom("keys").select("record").executeTakeFirstOrThrow();
      return JSON.parse(record).expires - Date.now() / 1000;
    });
    assert.ok(expiry > 3000 && expiry <= 3600, String(expiry));

    for (const [method, path, asked] of [
      ["POST", keys, { apply_policies: ["nothing"] }],
      ["PUT", `${keys}/${id}`, { apply_policies: ["nothing"] }],
    ] as const) {
      const refused = await portal.ask(method, path, asked);
      assert.equal([refused.status, refused.body.Message], [400, "No policy found!"]);
      assert.equal(refused.body.Errors, ["apply_policies: `nothing` is not a policy of the organisation"]);
    }
    assert.equal(Object((await developer()).keys), { [id]: [gold, short] });
    for (const [method, path, asked] of [
      ["PUT", `${keys}/other`, { apply_policies: [gold] }],
      ["DELETE", `${keys}/other`, undefined],
      ["DELETE", `${keys}/constructor`, undefined],
      ["POST", `${keys}/other/reset_quota`, undefined],
    ] as const) {
      assert.is((await portal.ask(method, path, asked)).status, 404, `${method} ${path}`);
      const foreign = path.replace(/other|constructor/, id);
      assert.is((await portal.ask(method, foreign, asked, other)).status, 404, `${method} ${foreign}`);
    }
    assert.is((await portal.ask("DELETE", `${keys}/${id}`)).status, 200);
    assert.equal([(await developer()).keys, (await developer()).subscriptions], [{}, {}]);
    await until(async () => (await portal.call(headers)) === 403);

    const client = await portal.ask("POST", keys, { apply_policies: [gold], oauth_info: {} });
    assert.is((await portal.ask("DELETE", `${keys}/${String(client.body.client_id)}`)).status, 200);
    assert.equal((await developer()).oauth_clients, {});
    await portal.close();
  });
}

test.run();
