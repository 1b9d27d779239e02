import { test } from "uvu";
import * as assert from "uvu/assert";
import { freshFile, testedDatabases } from "../runtime/store/databases.ts";
import { keys, startTestService } from "./services.ts";

const other = { authorization: keys.other };

for (const [title, fresh] of testedDatabases()) {
  test(`${title}: users get keys with the permissions of the user`, async () => {
    const service = await startTestService(await fresh());
    const made = await service.ask("POST", "/users", { name: "ada", permissions: ["read"] });
    assert.is(made.status, 200);
    const { id, access_key: key } = made.body.Meta as { id: string; access_key: string };
    assert.match(key, /^[\w-]{43}$/);
    const ada = { authorization: key };
    assert.is((await service.ask("GET", "/audit", undefined, ada)).status, 200);
    const refused = await service.ask("GET", "/users", undefined, ada);
    assert.equal(
      [refused.status, refused.body.Message],
      [403, "access denied: You do not have permission to access  /api/users"],
    );
    const user = (await service.ask("GET", `/users/${id}`)).body;
    assert.equal([user.name, user.permissions], ["ada", ["read"]]);
    assert.not.ok((await service.ask("GET", "/users?p=-1")).text.includes(key));

    assert.is(
      (await service.ask("PUT", `/users/${id}`, { name: "ada", permissions: ["users"] })).status,
      200,
    );
    assert.is((await service.ask("GET", "/users", undefined, ada)).status, 200);
    const renewed = await service.ask("POST", `/users/${id}/key`);
    const next = (renewed.body.Meta as { access_key: string }).access_key;
    assert.is((await service.ask("GET", "/users", undefined, ada)).status, 401);
    assert.is(
      (await service.ask("GET", "/users", undefined, { authorization: `Bearer ${next}` })).status,
      200,
    );
    assert.is((await service.ask("DELETE", `/users/${id}`)).status, 200);
    assert.is((await service.ask("GET", "/users", undefined, { authorization: next })).status, 401);
    assert.is((await service.ask("GET", `/users/${id}`)).status, 404);

    const { body, text } = await service.ask("GET", "/audit");
    assert.equal(
      body.Data.map(({ action, object, actor }) => [action, object, actor]),
      ["deleteUser", "renewKey", "replaceUser", "createUser"].map((each) => [each, id, "environment key 1"]),
    );
    assert.not.ok(text.includes(keys.own));
    await service.close();
  });

  test(`${title}: users belong to one organisation, and their names are unique in it`, async () => {
    const service = await startTestService(await fresh());
    const ada = { name: "ada", permissions: [] };
    const made = await service.ask("POST", "/users", ada);
    const { id } = made.body.Meta as { id: string };
    assert.is((await service.ask("POST", "/users", ada)).status, 409);
    assert.is((await service.ask("POST", "/users", ada, other)).status, 200);
    assert.is((await service.ask("GET", `/users/${id}`, undefined, other)).status, 404);
    assert.is((await service.ask("DELETE", `/users/${id}`, undefined, other)).status, 404);
    assert.is((await service.ask("POST", "/users", { name: "eve", permissions: ["root"] })).status, 422);
    assert.is((await service.ask("GET", "/audit", undefined, other)).body.Data.length, 1);
    await service.close();
  });

  test(`${title}: of two changes of one user with the same entity tag, only the first succeeds`, async () => {
    const service = await startTestService(await fresh());
    const made = await service.ask("POST", "/users", { name: "ada", permissions: [] });
    const path = `/users/${(made.body.Meta as { id: string }).id}`;
    const read = async () => ({ "if-match": (await service.ask("GET", path)).headers.get("etag") ?? "" });
    const tag = await read();
    const both = await Promise.all(
      ["ann", "eve"].map((name) => service.ask("PUT", path, { name, permissions: [] }, tag)),
    );
    assert.equal(both.map(({ status }) => status).toSorted(), [200, 412]);
    assert.is((await service.ask("DELETE", path, undefined, tag)).status, 412);
    assert.is((await service.ask("GET", "/audit")).body.Data.length, 2);
    assert.is((await service.ask("DELETE", path, undefined, await read())).status, 200);
    await service.close();
  });
}

test("every path requires a known key", async () => {
  const service = await startTestService(await freshFile());
  for (const authorization of ["", "other", `${keys.own}x`, `Basic ${keys.own}`]) {
    for (const path of ["/users", "/openapi.json", "/nothing"]) {
      const { status, body } = await service.ask("GET", path, undefined, { authorization });
      assert.equal([status, body], [401, { Status: "Error", Message: "Not authorised", Meta: null }]);
    }
  }
  await service.close();
});

test("responses have an entity tag, and 304 is sent to clients that have the current one", async () => {
  const service = await startTestService(await freshFile());
  const etag = (await service.ask("GET", "/users")).headers.get("etag") ?? "";
  assert.match(etag, /^"[\w-]+"$/);
  const again = await service.ask("GET", "/users", undefined, { "if-none-match": `"x", ${etag}` });
  assert.equal([again.status, again.text, again.headers.get("etag")], [304, "", etag]);
  await service.ask("POST", "/users", { name: "ada", permissions: [] });
  assert.is((await service.ask("GET", "/users", undefined, { "if-none-match": etag })).status, 200);
  await service.close();
});

test.run();
