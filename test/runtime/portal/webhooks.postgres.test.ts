import { randomBytes } from "node:crypto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { databases, testedDatabases } from "../store/databases.ts";
import { createDeveloper, inStore, startPortal, tokens, writeDocument } from "./portals.ts";
import { createOffers } from "./webhook-parts.ts";

const other = { authorization: tokens.other };
const missing = { Status: "Error", Message: "Could not retrieve portal object.", Meta: null };
const refused = (Message: string, ...Errors: readonly string[]) => ({
  Status: "Error",
  Message,
  Meta: null,
  ...(Errors.length > 0 && { Errors }),
});

for (const [title, fresh] of testedDatabases()) {
  test(`${title}: apps are created, listed, read, replaced and deleted`, async () => {
    const portal = await startPortal(await fresh());
    const by_user = await createDeveloper(portal);
    const someone = await createDeveloper(portal);
    await writeDocument(portal, "catalogue", {
      apis: [{ policy_id: "gold" }, { policy_id: "", api_id: "open" }],
    });
    const made = await portal.ask("POST", "/apps", {
      name: "Till",
      by_user,
      products: ["gold"],
      id: "x",
      more: 1,
    });
    const id = made.body.Message;
    assert.equal([made.status, made.body], [200, { Status: "OK", Message: id, Meta: null }]);
    const { date_created, ...record } = (await portal.ask("GET", `/apps/${id}`)).body;
    const own = { id, org_id: "acme", by_user, fields: {} };
    assert.equal(record, { ...own, name: "Till", description: "", products: ["gold"] });
    assert.match(String(date_created), /^\d{4}-.*Z$/);
    await portal.ask("POST", "/apps", { name: "Other", by_user: someone });
    const names = async (query: string) =>
      (await portal.ask("GET", `/apps${query}`)).body.Data.map(({ name }) => name).toSorted();
    assert.equal(await names(""), ["Other", "Till"]);
    assert.equal(await names(`?by_user=${by_user}`), ["Till"]);
    const replaced = await portal.ask("PUT", `/apps/${id}`, {
      name: "Desk",
      by_user,
      products: ["gold", "open"],
    });
    assert.is(replaced.body.Message, "Data updated");
    assert.equal((await portal.ask("GET", `/apps/${id}`)).body, {
      ...own,
      name: "Desk",
      description: "",
      products: ["gold", "open"],
      date_created,
    });
    for (const method of ["GET", "PUT", "DELETE"]) {
      const body = method === "PUT" ? { name: "a", by_user } : undefined;
      assert.is((await portal.ask(method, `/apps/${id}`, body, other)).status, 404);
    }
    assert.is((await portal.ask("DELETE", `/apps/${id}`)).body.Message, "Data deleted");
    assert.equal((await portal.ask("GET", `/apps/${id}`)).body, missing);
    await portal.close();
  });

  test(`${title}: apps need an existing developer and existing products`, async () => {
    const portal = await startPortal(await fresh());
    const by_user = await createDeveloper(portal);
    const ask = async (body: object) => {
      const { status, body: answer } = await portal.ask("POST", "/apps", body);
      return [status, answer];
    };
    assert.equal(await ask({ name: "a", by_user: "nobody" }), [400, refused("No developer found!")]);
    assert.equal(await ask({ name: "a", by_user, products: ["gold"] }), [
      400,
      refused("No product found!", "products: gold is not in the catalogue"),
    ]);
    assert.equal(await ask({ by_user, products: "gold" }), [
      422,
      refused("App object validation failed.", "name: is missing", "products: must be array"),
    ]);
    await portal.close();
  });

  test(`${title}: texts with U+0000 are rejected`, async () => {
    const portal = await startPortal(await fresh());
    for (const body of [
      { name: "a", by_user: "b\0" },
      { name: "a", by_user: "b", fields: { "c\0": "" } },
    ]) {
      const { status, body: answer } = await portal.ask("POST", "/apps", body);
      assert.equal([status, answer.Message], [422, "Request body contains the character U+0000."]);
    }
    assert.is((await portal.ask("GET", "/apps?by_user=%00")).status, 422);
    await portal.close();
  });

  test(`${title}: webhooks are created, read, replaced and deleted, and their secret is returned once`, async () => {
    const portal = await startPortal(await fresh());
    const { app } = await createOffers(portal);
    const path = `/apps/${app}/webhooks`;
    const hook = { url: "http://127.0.0.1:1/hook", events: ["order.made"] };
    const made = await portal.ask("POST", path, hook);
    const { Message: id, Meta } = made.body;
    assert.is(made.status, 200);
    assert.match(JSON.stringify(Meta), /^\{"secret":"whsec_[A-Za-z0-9+/]{43}="\}$/);
    const { date_created, ...record } = (await portal.ask("GET", `${path}/${id}`)).body;
    const state = {
      waiting: 0,
      dead: 0,
      attempts: 0,
      next_attempt: "",
      last_failure: "",
      recent_attempts: [],
    };
    const own = { id, org_id: "acme", app_id: app, description: "", disabled: false };
    assert.equal(record, { ...own, ...hook, state });
    const given = await portal.ask("POST", path, { ...hook, secret: "a secret of my own" });
    assert.is(given.body.Meta, null);
    const list = await portal.ask("GET", path);
    const ids = list.body.Data.map((each) => each.id).toSorted();
    assert.equal(ids, [id, given.body.Message].toSorted());
    assert.not.match(JSON.stringify(list.body), "secret");
    const changed = { ...hook, events: ["order.paid"], disabled: true };
    assert.is((await portal.ask("PUT", `${path}/${id}`, changed)).body.Message, "Data updated");
    assert.equal((await portal.ask("GET", `${path}/${id}`)).body, {
      ...own,
      ...changed,
      date_created,
      state,
    });
    assert.is((await portal.ask("DELETE", `${path}/${id}`)).body.Message, "Data deleted");
    for (const method of ["GET", "DELETE"])
      assert.is((await portal.ask(method, `${path}/${id}`)).status, 404);
    await portal.close();
  });

  test(`${title}: an app subscribes to events of its products, and to nothing else`, async () => {
    const portal = await startPortal(await fresh());
    const { app, by_user } = await createOffers(portal);
    const subscribe = async (events: readonly string[], to = app) => {
      const { status, body } = await portal.ask("POST", `/apps/${to}/webhooks`, {
        url: "http://127.0.0.1/",
        events,
      });
      return [status, body];
    };
    assert.equal(await subscribe(["order.made", "order.lost"]), [
      403,
      refused("The products of the app do not offer these events.", "events: order.lost is not offered"),
    ]);
    const without = await portal.ask("POST", "/apps", { name: "a", by_user, products: ["silver"] });
    assert.equal(await subscribe(["order.made"], without.body.Message), [
      403,
      refused("No product of the app has webhooks enabled."),
    ]);
    assert.equal(await subscribe(["order.made"], "nobody"), [404, missing]);
    assert.equal(await subscribe([]), [
      422,
      refused("Webhook object validation failed.", "events: must NOT have fewer than 1 items"),
    ]);
    await portal.close();
  });

  test(`${title}: webhooks of another organisation or app can be neither read nor changed`, async () => {
    const portal = await startPortal(await fresh());
    const { app, by_user } = await createOffers(portal);
    const hook = { url: "http://127.0.0.1/", events: ["order.made"] };
    const { Message: id } = (await portal.ask("POST", `/apps/${app}/webhooks`, hook)).body;
    const another = await portal.ask("POST", "/apps", { name: "a", by_user, products: ["gold"] });
    for (const [owner, headers] of [[app, other] as const, [another.body.Message, {}] as const]) {
      for (const method of ["GET", "PUT", "DELETE"]) {
        const body = method === "PUT" ? hook : undefined;
        assert.is((await portal.ask(method, `/apps/${owner}/webhooks/${id}`, body, headers)).status, 404);
      }
    }
    assert.is((await portal.ask("GET", `/apps/${app}/webhooks`, undefined, other)).status, 404);
    assert.is((await portal.ask("POST", `/apps/${app}/webhooks`, hook, other)).status, 404);
    await portal.close();
  });

  test(`${title}: secrets are encrypted in the store if there is a key`, async () => {
    const address = await fresh();
    const key = randomBytes(32).toString("base64");
    const portal = await startPortal(address, [], { environment: { GW_WEBHOOK_SECRETS_KEY: key } });
    const { app } = await createOffers(portal);
    const hook = { url: "http://127.0.0.1/", events: ["order.made"], secret: "nobody-shall-read-this" };
    await portal.ask("POST", `/apps/${app}/webhooks`, hook);
    await portal.close();
    const rows = await inStore(address, (connection) =>
      connection.selectFrom("webhook_subscriptions").select("record").execute(),
    );
    assert.match(JSON.parse(rows[0]?.record ?? "").secret, /^aes-256-gcm:/);
    assert.not.match(rows[0]?.record ?? "", "nobody-shall-read-this");
  });

  test(`${title}: deleting an app deletes its webhooks`, async () => {
    const portal = await startPortal(await fresh());
    const { app } = await createOffers(portal);
    await portal.ask("POST", `/apps/${app}/webhooks`, { url: "http://127.0.0.1/", events: ["order.made"] });
    await portal.ask("DELETE", `/apps/${app}`);
    for (const table of ["webhook_subscriptions", "webhook_wanted_events", "webhook_queues"] as const) {
      const rows = await inStore(portal.address, (connection) =>
        connection.selectFrom(table).selectAll().execute(),
      );
      assert.equal(rows, [], table);
    }
    await portal.close();
  });
}

test("unusable secrets and addresses are rejected, and not quoted", async () => {
  const fresh = databases.SQLite;
  assert.ok(fresh);
  const portal = await startPortal(await fresh(), [], { webhooks: { allow_private: false } });
  const { app } = await createOffers(portal);
  const subscribe = async (more: object) => {
    const hook = { url: "https://example.com", events: ["order.made"], ...more };
    const { status, body } = await portal.ask("POST", `/apps/${app}/webhooks`, hook);
    return [status, ...(body.Errors ?? [])];
  };
  const secrets =
    "secret: must be whsec_ and base64 of 16 to 64 bytes, or another text of 8 characters at least";
  for (const secret of ["whsec_short", "whsec_%%%%%%%%%%%%%%%%%%%%%%%", `whsec_${"A".repeat(100)}`]) {
    assert.equal(await subscribe({ secret }), [422, secrets]);
  }
  assert.equal(await subscribe({ secret: "short" }), [422, "secret: must NOT have fewer than 8 characters"]);
  assert.equal(await subscribe({ url: "http://10.0.0.1/" }), [
    422,
    "url: leads to an address that is not public",
  ]);
  assert.equal(await subscribe({ secret: `whsec_${"A".repeat(32)}` }), [200]);
  await portal.close();
});

test("an invalid key keeps the gateway from starting", async () => {
  const fresh = databases.SQLite;
  assert.ok(fresh);
  const start = startPortal(await fresh(), [], { environment: { GW_WEBHOOK_SECRETS_KEY: "YWJj" } });
  const failure = await start.then(() => "started", String);
  assert.match(failure, "GW_WEBHOOK_SECRETS_KEY is not the base64 of 32 bytes");
});

test.run();
