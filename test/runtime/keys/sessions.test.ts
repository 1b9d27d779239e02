import { setImmediate } from "node:timers/promises";
import { test } from "uvu";
import * as assert from "uvu/assert";
import type { KeyRecord, PolicyRecord } from "../../../runtime/keys/records.ts";
import { createSession } from "../../../runtime/keys/sessions.ts";
import { collectGarbage } from "../../harness/heap.ts";

function sessionOf(key: KeyRecord, ...policies: readonly PolicyRecord[]) {
  return createSession("id", { apply_policies: policies.map(({ id = "" }) => id), ...key }, policies);
}

test("the highest limits of several policies apply", () => {
  const slow = { id: "slow", rate: 10, per: 60, quota_max: 100, quota_renewal_rate: 60 };
  const fast = { id: "fast", rate: 5, per: 1, quota_max: 50, quota_renewal_rate: 1 };
  assert.equal(sessionOf({}, slow, fast).limits, {
    rate: { rate: 5, per: 1 },
    quota: { max: 100, renewal: 60 },
  });
  assert.equal(sessionOf({}, slow, { id: "free", rate: 0, per: 1, quota_max: -1 }).limits, {
    rate: { rate: 0, per: 1 },
    quota: { max: -1, renewal: 0 },
  });
  assert.equal(sessionOf({}, slow, { id: "silent" }).limits, sessionOf({}, slow).limits);
  assert.equal(sessionOf({}).limits, {});
});

test("policies of another organisation grant no right to the key, and do not lock it", () => {
  const rights = (id: string) => ({ access_rights: { [id]: {} } });
  const own = { id: "own", org_id: "red", ...rights("mine") };
  const foreign = {
    id: "foreign",
    org_id: "blue",
    ...rights("theirs"),
    rate: 1,
    per: 1,
    state: "deny" as const,
  };
  const anyones = { id: "anyones", ...rights("shared") };
  const all = sessionOf({ org_id: "red" }, foreign, own, anyones);
  assert.equal([...(all.rights?.keys() ?? [])], ["mine", "shared"]);
  assert.equal([all.organisation, all.limits, all.isInactive], ["red", {}, false]);
  assert.equal([...(sessionOf({ org_id: "red" }, foreign).rights ?? [["all", {}]])], []);
  // If the key has no organisation, the first policy determines the organisation of the session.
  const owner = sessionOf({}, own, { ...foreign, state: "active" });
  assert.equal([owner.organisation, [...(owner.rights?.keys() ?? [])]], ["red", ["mine"]]);
});

test("policies override the settings of the key, part by part", () => {
  const key = { rate: 1, per: 1, quota_max: 1 };
  assert.equal(sessionOf(key).limits, { rate: { rate: 1, per: 1 }, quota: { max: 1, renewal: 0 } });
  const policy = { id: "p", rate: 5, per: 1, quota_max: 5 };
  assert.equal(sessionOf(key, { ...policy, partitions: { quota: true } }).limits, {
    rate: { rate: 1, per: 1 },
    quota: { max: 5, renewal: 0 },
  });
  assert.equal(sessionOf(key, { ...policy, partitions: { acl: true } }).limits, sessionOf(key).limits);
});

test("limits of an API are separate, and those of `per_api` policies apply to no other", () => {
  const shop = { limit: { rate: 5, per: 1 }, allowance_scope: "shared" };
  const policy = { id: "p", rate: 50, per: 1, access_rights: { shop } };
  const right = (session: ReturnType<typeof sessionOf>) => session.rights?.get("shop");
  assert.equal(right(sessionOf({}, policy)), { limits: { rate: { rate: 5, per: 1 } }, scope: "shared" });
  const perApi = sessionOf({}, { ...policy, partitions: { per_api: true } });
  assert.equal([right(perApi)?.limits, perApi.limits], [{ rate: { rate: 5, per: 1 } }, {}]);
  const without = sessionOf({}, { ...policy, access_rights: { shop: {} }, partitions: { per_api: true } });
  assert.equal(right(without), { limits: { rate: { rate: 50, per: 1 } }, scope: "policy p" });
  const rightsOnly = sessionOf({}, { ...policy, partitions: { acl: true } });
  assert.equal([right(rightsOnly)?.limits, rightsOnly.limits], [undefined, {}]);
});

test("rights of several policies are merged", () => {
  const url = (text: string) => ({ url: (path: string) => path === text, methods: ["get"] });
  const one = { id: "one", access_rights: { shop: { versions: ["v1"], allowed_urls: [url("/a")] } } };
  const two = { id: "two", access_rights: { shop: { versions: ["v2"], allowed_urls: [url("/b")] } } };
  const joined = sessionOf({}, one, two).rights?.get("shop");
  assert.equal([...(joined?.versions ?? [])], ["v1", "v2"]);
  const allows = (path: string) => joined?.allowedUrls?.some(({ matches }) => matches(path));
  assert.equal([allows("/a"), allows("/b"), allows("/c")], [true, true, false]);
  assert.equal([...(joined?.allowedUrls?.[0]?.methods ?? [])], ["GET"]);
  const all = sessionOf({}, one, { id: "all", access_rights: { shop: {} } }).rights?.get("shop");
  assert.equal([all?.versions, all?.allowedUrls], [undefined, undefined]);
});

test("endpoints of several policies are merged by method and path", () => {
  const endpoint = (rate: number) => ({
    shop: { endpoints: [{ path: "/a", methods: [{ name: "get", limit: { rate, per: 1 } }] }] },
  });
  const one = { id: "one", access_rights: endpoint(5) };
  const { rights } = sessionOf({}, one, { id: "two", access_rights: endpoint(9) });
  const [first, ...others] = rights?.get("shop")?.endpoints ?? [];
  assert.equal([first?.name, first?.limits, others], ["GET /a", { rate: { rate: 9, per: 1 } }, []]);
});

test("metadata, tags and the rest are merged, with the key's own last", () => {
  const session = sessionOf(
    { alias: "ann", meta_data: { team: "b", n: 5, list: [1] }, tags: ["k"] },
    { id: "p", org_id: "acme", meta_data: { team: "a", plan: "gold" }, tags: ["p", "k"] },
  );
  assert.equal(
    [...session.metadata],
    [
      ["team", "b"],
      ["plan", "gold"],
      ["n", "5"],
      ["list", "[1]"],
    ],
  );
  assert.equal([session.tags, session.organisation, session.alias], [["p", "k"], "acme", "ann"]);
});

test("what policies grant together is forgotten after many lists of them", async () => {
  const policies = Array.from({ length: 14 }, (_, index) => ({ id: `${index}`, rate: index + 1, per: 1 }));
  const grantOf = (list: number) =>
    sessionOf({}, ...policies.filter((_, index) => (list >> index) % 2 === 1));
  const first = new WeakRef(grantOf(1).limits);
  assert.is(grantOf(1).limits, first.deref(), "keys with the same policies share it");
  for (let list = 1; list <= 10_000; list += 1) grantOf(list);
  await setImmediate();
  collectGarbage();
  assert.is(first.deref(), undefined);
  assert.equal(grantOf(1).limits, { rate: { rate: 1, per: 1 } });
});

test.run();
