import fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { covers, isMatch, may } from "../../management/access/rights.ts";
import { until } from "../harness/wait.ts";
import { testedDatabases } from "../runtime/store/databases.ts";
import { definitionOf, ownType } from "./definitions.ts";
import { startTestService, type TestService } from "./services.ts";

/** Creates a user with these rights, and a function that sends requests as that user. */
async function userOf(service: TestService, name: string, rights: object) {
  const made = await service.ask("POST", "/users", { name, permissions: [], ...rights });
  assert.is(made.status, 200, made.text);
  const { access_key: authorization, id } = made.body.Meta as { access_key: string; id: string };
  const ask = (method: string, path: string, body?: unknown, headers = {}) =>
    service.ask(method, path, body, { authorization, ...headers });
  return { id, ask };
}

const idsIn = (body: Readonly<Record<string, unknown>>) =>
  (body.apis as { api_definition: { api_id: string } }[])
    .map(({ api_definition: { api_id: id } }) => id)
    .sort();

for (const [title, fresh] of testedDatabases()) {
  test(`${title}: a user with a grant sees and changes only APIs that match its pattern`, async () => {
    const service = await startTestService(await fresh());
    for (const id of ["orders-eu", "orders-us", "pay"])
      await service.ask("POST", "/apis/streams", definitionOf(`/${id}/`, { id }), ownType);
    const { ask } = await userOf(service, "ann", {
      apis: [
        { api: "orders-*", permissions: ["read"] },
        { api: "orders-eu", permissions: ["write"] },
      ],
    });
    assert.equal(idsIn((await ask("GET", "/apis/streams")).body), ["orders-eu", "orders-us"]);
    assert.equal(idsIn((await ask("GET", "/apis")).body), ["orders-eu", "orders-us"]);
    const statusOf = async (method: string, path: string, body?: unknown, headers = {}) =>
      (await ask(method, path, body, headers)).status;
    const text = definitionOf("/orders-eu/", { id: "orders-eu", name: "Changed" });
    assert.is(await statusOf("PUT", "/apis/streams/orders-eu", text, ownType), 200);
    const unwritable = definitionOf("/orders-us/", { id: "orders-us", name: "Changed" });
    assert.is(await statusOf("PUT", "/apis/streams/orders-us", unwritable, ownType), 403);
    assert.is(await statusOf("DELETE", "/apis/streams/orders-us"), 403);
    assert.is(await statusOf("POST", "/apis/streams/orders-us/versions/1/rollback"), 403);
    assert.is(await statusOf("GET", "/apis/streams/orders-us/versions/1"), 200);
    for (const [method, path] of [
      ["GET", "/apis/streams/pay/versions"],
      ["GET", "/apis/streams/pay/topology"],
      ["GET", "/apis/streams/pay/asyncapi"],
      ["DELETE", "/apis/streams/pay"],
      ["POST", "/streams/pay/intake/stop"],
    ] as const) {
      const there = await ask(method, path);
      const nowhere = await ask(method, path.replace("pay", "nowhere"));
      assert.equal([there.status, there.text], [nowhere.status, nowhere.text], `${method} ${path}`);
    }
    const own = definitionOf("/new/", { id: "orders-new" });
    assert.is(await statusOf("POST", "/apis/streams", own, ownType), 403);
    const taken = definitionOf("/pay/x/", { id: "orders-eu" });
    const refused = await ask("PUT", "/apis/streams/orders-eu", taken, ownType);
    assert.equal([refused.status, refused.body.Message], [403, "Found API with same url."]);
    assert.not.ok(refused.text.includes('"pay'));
    const { body: audit } = await ask("GET", "/audit");
    assert.equal(
      audit.Data.map(({ action, object }) => `${action} ${object}`),
      ["replaceStreamApi orders-eu", "createStreamApi orders-us", "createStreamApi orders-eu"],
    );
    assert.is(await statusOf("GET", "/users"), 403);
    await service.close();
  });

  test(`${title}: a rollback applies only to APIs that the user may write`, async () => {
    const service = await startTestService(await fresh());
    await service.ask("POST", "/apis/streams", definitionOf("/a/", { id: "a" }), ownType);
    await service.ask("POST", "/apis/streams", definitionOf("/b/", { id: "b" }), ownType);
    const { ask } = await userOf(service, "ann", { apis: [{ api: "a", permissions: ["read", "write"] }] });
    const newest = async () => {
      const { body } = await service.ask("GET", "/deployments?p=1");
      const [first] = body.Data as { number: number; apis: { id: string }[] }[];
      return first;
    };
    const { number } = await until(async () => {
      const deployed = await newest();
      return deployed?.apis.length === 2 && deployed;
    });
    await service.ask("DELETE", "/apis/streams/a");
    await service.ask("DELETE", "/apis/streams/b");
    assert.is((await ask("POST", `/deployments/${number}/rollback`)).status, 200);
    assert.equal(idsIn((await service.ask("GET", "/apis/streams")).body), ["a"]);
    const shown = (await ask("GET", "/deployments")).body.Data as { apis: { id: string }[] }[];
    assert.ok(shown.every(({ apis }) => apis.every(({ id }) => id === "a")));
    await service.close();
  });

  test(`${title}: grants by name apply before and after a rename, and across the deletion of an API`, async () => {
    const service = await startTestService(await fresh());
    const { ask } = await userOf(service, "ann", {
      apis: [{ api: "Shop *", by: "name", permissions: ["read", "write"] }],
    });
    const shop = definitionOf("/a/", { id: "a", name: "Shop orders" });
    assert.is((await ask("POST", "/apis/streams", shop, ownType)).status, 200);
    const renamed = definitionOf("/a/", { id: "a", name: "Pay" });
    assert.is((await ask("PUT", "/apis/streams/a", renamed, ownType)).status, 403);
    await service.ask("PUT", "/apis/streams/a", renamed, ownType);
    assert.is((await ask("GET", "/apis/streams/a")).status, 400);
    await service.ask("DELETE", "/apis/streams/a");
    // Otherwise the user would get the versions of the earlier API with this id.
    assert.is((await ask("POST", "/apis/streams", shop, ownType)).status, 409);
    await service.close();
  });

  test(`${title}: users cannot grant more than they have`, async () => {
    const service = await startTestService(await fresh());
    const apis = [{ api: "a-*", permissions: ["read"] }];
    const { ask } = await userOf(service, "ann", { permissions: ["users"], apis });
    let counter = 0;
    const grant = async (user: object) => {
      counter += 1;
      return (await ask("POST", "/users", { name: `user ${counter}`, permissions: [], ...user })).status;
    };
    assert.is(await grant({ apis }), 200);
    assert.is(await grant({ apis: [{ api: "a-b*c", permissions: ["read"] }] }), 200);
    for (const wrong of [
      { api: "a*", permissions: ["read"] },
      { api: "*", permissions: ["read"] },
      { api: "a-*", permissions: ["read", "write"] },
      { api: "a-*", by: "name", permissions: ["read"] },
    ])
      assert.is(await grant({ apis: [wrong] }), 403, JSON.stringify(wrong));
    const rich = await userOf(service, "rich", { apis: [{ api: "*", permissions: ["write"] }] });
    assert.is((await ask("POST", `/users/${rich.id}/key`)).status, 403);
    const kept = { name: "rich", permissions: [], apis: [{ api: "*", permissions: ["write"] }] };
    assert.is((await ask("PUT", `/users/${rich.id}`, kept)).status, 200);
    await service.close();
  });
}

test("a pattern matches like the equivalent regular expression", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 8 });
  const pattern = fc.string({ unit: fc.constantFrom("a", "b", "*"), maxLength: 6 });
  fc.assert(
    fc.property(pattern, text, (chosen, given) =>
      assert.is(
        isMatch(chosen, given),
        new RegExp(`^${chosen.replaceAll("*", ".*")}$`).test(given),
        `${chosen} ${given}`,
      ),
    ),
    { seed: 4, numRuns: 2000 },
  );
});

test("a grant covered by another allows nothing that the other does not", () => {
  const pattern = fc.string({ unit: fc.constantFrom("a", "b", "*"), minLength: 1, maxLength: 4 });
  const id = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 6 });
  const permissions = ["read"] as const;
  fc.assert(
    fc.property(pattern, pattern, id, (own, granted, chosen) => {
      const holder = { organisation: "a", grants: [{ api: own, permissions }] };
      const other = { organisation: "a", grants: [{ api: granted, permissions }] };
      const api = { id: chosen, name: "" };
      if (!covers(holder, { api: granted, permissions }) || !may(other, "read", api)) return;
      assert.ok(may(holder, "read", api), `${own} ${granted} ${chosen}`);
    }),
    { seed: 5, numRuns: 5000 },
  );
});

test.run();
