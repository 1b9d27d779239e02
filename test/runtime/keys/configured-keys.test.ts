import { test } from "uvu";
import * as assert from "uvu/assert";
import { configuredKeys } from "../../../runtime/keys/configured-keys.ts";
import { hashKey } from "../../../runtime/keys/key-hash.ts";
import { EnvironmentError } from "../../../runtime/process/environment.ts";

test("keys are found by their hash in either case, users by their name", async () => {
  const keys = configuredKeys({
    keys: [
      { key_hash: hashKey("a").toUpperCase(), alias: "key" },
      { username: "ann", alias: "user" },
    ],
  });
  assert.is((await keys.findKey(hashKey("a")))?.session.alias, "key");
  assert.is((await keys.findUser("ann"))?.session.alias, "user");
  for (const name of ["", "a", "ann", hashKey("ann"), "__proto__"])
    assert.is(await keys.findKey(name), undefined);
  for (const name of ["", "a", "Ann", "__proto__"]) assert.is(await keys.findUser(name), undefined);
});

test("a session for callers without a key can be created from policies", async () => {
  const keys = configuredKeys({ policies: [{ id: "p", rate: 5, per: 1, access_rights: { shop: {} } }] });
  const session = await keys.createSession("owner", { apply_policies: ["p"], alias: "ann" });
  assert.equal([session.id, session.alias, session.limits.rate], ["owner", "ann", { rate: 5, per: 1 }]);
  assert.ok(session.rights?.has("shop"));
});

test("keys with the same policies share what these grant, except what a key says itself", async () => {
  const policies = [
    { id: "p", rate: 5, per: 1, access_rights: { shop: {} }, tags: ["p"], meta_data: { a: "1" } },
  ];
  const apply = { apply_policies: ["p"] };
  const keys = configuredKeys({
    policies,
    keys: [
      { key_hash: hashKey("a"), ...apply },
      { key_hash: hashKey("b"), ...apply },
      { key_hash: hashKey("c"), ...apply, tags: ["c"], meta_data: { b: "2" }, quota_max: 3 },
    ],
  });
  const [a, b, c] = await Promise.all(["a", "b", "c"].map(async (key) => keys.findKey(hashKey(key))));
  for (const part of ["rights", "limits", "tags", "metadata"] as const)
    assert.is(a?.session[part], b?.session[part], part);
  assert.equal(b?.session.tags, ["p"]);
  assert.equal(c?.session.tags, ["p", "c"]);
  assert.equal(
    [...(c?.session.metadata ?? [])],
    [
      ["a", "1"],
      ["b", "2"],
    ],
  );
  assert.equal(c?.session.limits, { rate: { rate: 5, per: 1 }, quota: { max: 3, renewal: 0 } });
});

test("entries without a key or with a duplicate one prevent the gateway from starting", () => {
  const hash = hashKey("a");
  const rows = [
    [{}],
    [{ key_hash: "" }],
    [{ key_hash: hash }, { key_hash: hash.toUpperCase() }],
    [{ username: "a" }, { username: "a" }],
  ];
  for (const keys of rows) {
    assert.throws(
      () => configuredKeys({ keys }),
      (error: unknown) => error instanceof EnvironmentError && !error.message.includes(hash),
    );
  }
});

test.run();
