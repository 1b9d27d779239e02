import SwaggerParser from "@apidevtools/swagger-parser";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { createIdentifier } from "../../../runtime/store/identifiers.ts";
import { until } from "../../harness/wait.ts";
import { freshFile, testedDatabases } from "../store/databases.ts";
import { createPolicy, startPortal, tokens, writeDocument } from "./portals.ts";

const other = { authorization: tokens.other };
const missing = { Status: "Error", Message: "Could not retrieve portal object.", Meta: null };

for (const [title, fresh] of testedDatabases()) {
  test(`${title}: policies are created, read, replaced and deleted`, async () => {
    const portal = await startPortal(await fresh());
    const made = await portal.ask("POST", "/policies", {
      name: "gold",
      rate: 5,
      per: 1,
      unknown: 1,
      id: "x",
    });
    const id = made.body.Message;
    assert.equal([made.status, made.body], [200, { Status: "OK", Message: id, Meta: null }]);
    assert.match(id, /^[0-9a-f]{24}$/);
    const record = { id, name: "gold", org_id: "acme", rate: 5, per: 1 };
    assert.equal((await portal.ask("GET", `/policies/${id}`)).body, record);
    const replaced = await portal.ask("PUT", `/policies/${id}`, { name: "silver", tags: ["a"] });
    assert.equal(replaced.body, { Status: "OK", Message: "Data updated", Meta: null });
    assert.equal((await portal.ask("GET", `/policies/${id}`)).body, {
      id,
      name: "silver",
      org_id: "acme",
      tags: ["a"],
    });
    const tag = { "if-match": (await portal.ask("GET", `/policies/${id}`)).headers.get("etag") ?? "" };
    const both = await Promise.all(
      ["a", "b"].map((name) => portal.ask("PUT", `/policies/${id}`, { name }, tag)),
    );
    assert.equal(both.map(({ status }) => status).toSorted(), [200, 412]);
    const [late] = both.filter(({ status }) => status === 412);
    assert.is(late?.body.Message, "The record has been changed meanwhile.");
    const gone = await portal.ask("PUT", "/policies/none", { name: "c" }, tag);
    assert.is(gone.status, 404);
    const deleted = await portal.ask("DELETE", `/policies/${id}`);
    assert.equal(deleted.body, { Status: "OK", Message: "Data deleted", Meta: null });
    for (const method of ["GET", "DELETE"]) {
      assert.is((await portal.ask(method, `/policies/${id}`)).status, 404);
    }
    await portal.close();
  });

  test(`${title}: a record that somebody else has changed is neither replaced nor deleted`, async () => {
    const portal = await startPortal(await fresh());
    const made = async (path: string, body: object) => (await portal.ask("POST", path, body)).body.Message;
    const policy = await createPolicy(portal, "gold");
    await writeDocument(portal, "catalogue", {
      apis: [{ policy_id: policy, webhooks: { enabled: true, events: ["made"] } }],
    });
    const developer = await made("/developers", { email: "a@example.com" });
    await portal.ask("POST", `/developers/${developer}/keys`, { apply_policies: [policy] });
    const [key = ""] = Object.keys(Object((await portal.ask("GET", `/developers/${developer}`)).body.keys));
    const team = await made("/teams", { name: "blue" });
    const app = await made("/apps", { name: "app", by_user: developer, products: [policy] });
    const hook = await made(`/apps/${app}/webhooks`, {
      url: "http://127.0.0.1:9/",
      events: ["made"],
    });
    const silver = await createPolicy(portal, "silver");
    const request = await made("/requests", { by_user: developer, apply_policies: [silver] });
    const text = await made("/documentation", { documentation: "YQ==" });
    const addresses: Readonly<Record<string, string>> = {
      "/apps/{id}/webhooks/{webhook}": `/apps/${app}/webhooks/${hook}`,
      "/apps/{id}": `/apps/${app}`,
      "/requests/{id}": `/requests/${request}`,
      "/documentation/{id}": `/documentation/${text}`,
      "/developers/{id}/keys/{keyId}": `/developers/${developer}/keys/${key}`,
      "/teams/{id}": `/teams/${team}`,
      "/policies/{id}": `/policies/${silver}`,
      "/developers/{id}": `/developers/${developer}`,
      "/catalogue": "/catalogue",
    };
    const { paths } = Object((await portal.ask("GET", "/openapi.json")).body);
    const conditional = Object.keys(paths).filter((path) => {
      const { get, put, delete: remove } = paths[path];
      return get?.responses[200].headers?.ETag && (put ?? remove);
    });
    assert.equal(
      conditional.toSorted(),
      [
        ...Object.keys(addresses),
        // Written in the same way as others.
        ...["/branding", "/configuration", "/texts", "/teams/{id}/keys/{keyId}"],
        "/apps/{id}/webhooks/{webhook}/dead_deliveries/{delivery}",
      ].toSorted(),
    );
    for (const [path, address] of Object.entries(addresses)) {
      const { headers, body } = await portal.ask("GET", address);
      const known = { "if-match": headers.get("etag") ?? "" };
      const answers = async (tag: Readonly<Record<string, string>>) => [
        paths[path].put && (await portal.ask("PUT", address, body, tag)).status,
        paths[path].delete && (await portal.ask("DELETE", address, undefined, tag)).status,
      ];
      const expected = (status: number) => [paths[path].put && status, paths[path].delete && status];
      assert.equal(await answers({ "if-match": '"x"' }), expected(412), path);
      assert.is((await portal.ask("GET", address)).headers.get("etag"), known["if-match"], path);
      assert.equal(await answers(known), expected(200), path);
    }
    await portal.close();
  });

  test(`${title}: lists are paginated`, async () => {
    const portal = await startPortal(await fresh());
    for (let index = 0; index < 12; index += 1) await createPolicy(portal, `p${index}`);
    const names = async (query: string) => {
      const { body } = await portal.ask("GET", `/policies${query}`);
      return [body.Pages, body.Data.length];
    };
    assert.equal(await names(""), [2, 10]);
    assert.equal(await names("?p=0"), [2, 10]);
    assert.equal(await names("?p=2"), [2, 2]);
    assert.equal(await names("?p=3"), [2, 0]);
    assert.equal(await names("?p=-1"), [0, 12]);
    assert.equal(await names("?p=2&page_size=5"), [3, 5]);
    const all = (await portal.ask("GET", "/policies?p=-1")).body.Data.map(({ id }) => id);
    const pages = await Promise.all(
      [1, 2, 3].map(async (p) => (await portal.ask("GET", `/policies?page_size=5&p=${p}`)).body.Data),
    );
    assert.equal(
      pages.flat().map(({ id }) => id),
      all,
    );
    for (const query of ["?p=a", "?p=1.5", "?page_size=0", "?page_size=501", "?p=1&p=2"]) {
      assert.is((await portal.ask("GET", `/policies${query}`)).status, 422, query);
    }
    await portal.close();
  });

  test(`${title}: policies are found by their content`, async () => {
    const portal = await startPortal(await fresh());
    const gold = await createPolicy(portal, "Gold", { state: "draft" });
    await until(() => createIdentifier(Date.now() - 1) > gold);
    const silver = await createPolicy(portal, "silver", { active: false });
    await until(() => createIdentifier(Date.now() - 1) > silver);
    const bronze = await createPolicy(portal, "bronze", { access_rights: { bills: {} }, state: "deny" });
    await writeDocument(portal, "catalogue", { apis: [{ policy_id: silver, auth_type: "oauth" }] });
    const found = async (query: string, path = "/policies/search") =>
      (await portal.ask("GET", `${path}?${query}`)).body.Data?.map(({ id }) => id);
    assert.equal(await found(""), [gold, silver, bronze]);
    assert.equal(await found("q=GOL"), [gold]);
    assert.equal(await found("q=%25"), []);
    assert.equal(await found(`policy_ids=${silver},${bronze},none`), [silver, bronze]);
    assert.equal(await found("active=true"), [gold, bronze]);
    assert.equal(await found("active=false"), [silver]);
    assert.equal(await found("active=any"), [gold, silver, bronze]);
    assert.equal(await found("active=false", "/policies"), [silver]);
    assert.equal(await found("state=active"), [silver]);
    assert.equal(await found("state=draft&active=true"), [gold]);
    assert.equal(await found("sort=name"), [gold, bronze, silver]);
    assert.equal(await found("sort=-name&page_size=1&p=2"), [bronze]);
    assert.equal(await found("sort=-date_created&p=-1"), [bronze, silver, gold]);
    assert.equal(await found("sort=state"), [silver, bronze, gold]);
    assert.equal(await found("api_id=orders"), [gold, silver]);
    assert.equal(await found("api_id=orders,bills"), [gold, silver, bronze]);
    assert.equal(await found("auth_type=oauth"), [silver]);
    for (const query of ["active=yes", "state=open", "sort=id", "sort=name&sort=state"]) {
      assert.is((await portal.ask("GET", `/policies/search?${query}`)).status, 422, query);
    }
    assert.equal((await portal.ask("GET", "/policies/search", undefined, other)).body, {
      Data: [],
      Pages: 0,
    });
    await portal.close();
  });

  test(`${title}: names are unique in each organisation`, async () => {
    const portal = await startPortal(await fresh());
    await createPolicy(portal, "gold");
    const silver = await createPolicy(portal, "silver");
    const again = await portal.ask("POST", "/policies", { name: "gold" });
    assert.equal([again.status, again.body.Message], [409, "This policy name has already been used."]);
    assert.is((await portal.ask("PUT", `/policies/${silver}`, { name: "gold" })).status, 409);
    assert.is((await portal.ask("POST", "/policies", { name: "gold" }, other)).status, 200);
    await portal.close();
  });

  test(`${title}: policies of another organisation can be neither read nor changed`, async () => {
    const portal = await startPortal(await fresh());
    const id = await createPolicy(portal, "gold");
    assert.equal((await portal.ask("GET", "/policies", undefined, other)).body, { Data: [], Pages: 0 });
    const read = await portal.ask("GET", `/policies/${id}`, undefined, other);
    assert.equal([read.status, read.body], [404, missing]);
    assert.is((await portal.ask("PUT", `/policies/${id}`, { name: "x" }, other)).status, 404);
    assert.is((await portal.ask("DELETE", `/policies/${id}`, undefined, other)).status, 404);
    assert.is((await portal.ask("GET", `/policies/${id}`)).body.name, "gold");
    await portal.close();
  });
}

test("requests without a known token are rejected", async () => {
  const portal = await startPortal(await freshFile());
  const status = async (authorization: string, path = "/policies") =>
    (await portal.ask("GET", path, undefined, { authorization })).status;
  for (const right of [tokens.acme, `Bearer ${tokens.acme}`, `bearer  ${tokens.other}`]) {
    assert.is(await status(right), 200, right);
  }
  for (const path of ["/policies", "/policies/x", "/openapi.json", "/nothing"]) {
    for (const wrong of ["", "Bearer", "token", `other:${tokens.other}`, `Basic ${tokens.acme}`]) {
      assert.is(await status(wrong, path), 401, `${wrong} ${path}`);
    }
  }
  const { body } = await portal.ask("GET", "/policies", undefined, { authorization: "wrong" });
  assert.equal(body, { Status: "Error", Message: "Not authorised", Meta: null });
  assert.not.ok(JSON.stringify(portal.lines).includes(tokens.acme));
  await portal.close();
});

test("invalid bodies are rejected with the reasons", async () => {
  const portal = await startPortal(await freshFile());
  const post = async (body: unknown, headers: Readonly<Record<string, string>> = {}) => {
    const answer = await portal.ask("POST", "/policies", body, headers);
    return [answer.status, answer.body.Message, answer.body.Errors];
  };
  assert.equal(await post("{"), [400, "Request body malformed.", undefined]);
  assert.equal(await post("[]"), [422, "Request body must be an object.", undefined]);
  assert.equal(await post({ name: "a" }, { "content-type": "text/plain" }), [
    415,
    "Bodies have the type application/json.",
    undefined,
  ]);
  assert.equal(await post({ name: "x".repeat(1024 * 1024) }), [413, "Request body is too large", undefined]);
  assert.equal(await post({ rate: "5", access_rights: { orders: { versions: [1] } } }), [
    422,
    "Policy object validation failed.",
    ["name: is missing", "rate: must be number", "access_rights.orders.versions.0: must be string"],
  ]);
  const [status, , errors] = await post({
    name: "a",
    access_rights: { orders: { allowed_urls: [{ url: "(" }] } },
  });
  assert.equal([status, errors], [422, ["a `url` of access rights is not a valid RE2 expression"]]);
  assert.equal((await portal.ask("GET", "/policies")).body.Data, []);
  // Names that objects inherit are ordinary names, or are dropped.
  assert.is((await portal.ask("POST", "/policies", '{"name":"a","__proto__":{"rate":"x"}}')).status, 200);
  await portal.close();
});

test("missing resources are answered 404, and the API describes itself", async () => {
  const portal = await startPortal(await freshFile());
  const nowhere = await portal.ask("GET", "/nothing");
  assert.equal([nowhere.status, nowhere.body], [404, { Status: "Error", Message: "Not found", Meta: null }]);
  const wrong = await portal.ask("PATCH", "/policies", {});
  assert.equal([wrong.status, wrong.headers.get("allow")], [405, "GET, POST"]);
  const { status, body } = await portal.ask("GET", "/openapi.json");
  assert.equal([status, body.openapi], [200, "3.1.1"]);
  await SwaggerParser.validate(structuredClone(body) as never);
  assert.ok(Object.keys(Object(body.paths)).includes("/policies/{id}"));
  await portal.close();
});

test("configured policies are listed with what pages show of them, and only to their organisation", async () => {
  const rights = { orders: { allowed_urls: [{ url: (path: string) => path === "/new" }] } };
  const policies = [
    { id: "readers", rate: 5, per: 10, access_rights: rights },
    { id: "theirs", name: "Theirs", org_id: "other", access_rights: {} },
  ];
  const portal = await startPortal(await freshFile(), policies);
  const { body } = await portal.ask("GET", "/policies/configured");
  const readers = { id: "readers", name: "readers", apis: ["orders"], rate: 5, per: 10 };
  assert.equal(body, { Data: [readers], Pages: 1 });
  const theirs = (await portal.ask("GET", "/policies/configured", undefined, other)).body.Data;
  assert.equal(
    theirs.map(({ id }) => id),
    ["readers", "theirs"],
  );
  await portal.close();
});

test("APIs that policies can name are those that the gateway serves, paginated", async () => {
  const portal = await startPortal(await freshFile());
  const { status, body } = await portal.ask("GET", "/apis");
  const api = { id: "orders", name: "orders", listen_path: "/orders/" };
  assert.equal([status, body], [200, { Data: [api], Pages: 1 }]);
  assert.equal((await portal.ask("GET", "/apis?p=2")).body, { Data: [], Pages: 1 });
  assert.is((await portal.ask("GET", "/apis", undefined, { authorization: "wrong" })).status, 401);
  await portal.close();
});

test.run();
