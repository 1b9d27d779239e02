import { test } from "uvu";
import * as assert from "uvu/assert";
import { plainHttpServerInput } from "../../../runtime/connectors/http-server/input.ts";
import { versionsInPath } from "../../../runtime/http/versions/in-path.ts";
import { configuredKeys } from "../../../runtime/keys/configured-keys.ts";
import type { AccessOptions, Key } from "../../../runtime/keys/generated/access-options.ts";
import { hashKey } from "../../../runtime/keys/key-hash.ts";
import { pathTest } from "../../../runtime/keys/path-test.ts";
import { accessRights } from "../../../runtime/protections/access-rights.ts";
import { authToken } from "../../../runtime/protections/authentication/auth-token.ts";
import { authentication } from "../../../runtime/protections/authentication/authentication.ts";
import { rateLimits } from "../../../runtime/protections/rate-limits.ts";
import { httpServer } from "../../harness/http-server.ts";
import { memoryOutput } from "../gateway/components.ts";
import { ordersApi, startGateway } from "../gateway/start-gateway.ts";
import { startGuarded } from "./guarded.ts";

const chain = [
  authentication({ methods: { key: authToken({ header: "X-Api-Key" }) }, requirements: [{ key: [] }] }),
  accessRights(),
];

const request = { method: "POST", body: "a", headers: { "x-api-key": "right" } };
const forbidden = "Access to this API has been disallowed";

function keysWith(key: Key, policies: AccessOptions["policies"] = []) {
  return configuredKeys({ policies, keys: [{ key_hash: hashKey("right"), ...key }] });
}

test("keys have access where their rights and those of their policies allow it", async () => {
  const orders = { orders: {} };
  const granting = { id: "granting", access_rights: orders };
  const rows: readonly [string, Key, AccessOptions["policies"], number, string?][] = [
    ["neither rights nor policies", {}, [], 200],
    ["rights of its own", { access_rights: orders }, [], 200],
    ["rights to another API", { access_rights: { other: {} } }, [], 403, forbidden],
    ["a policy", { apply_policies: ["granting"] }, [granting], 200],
    ["a policy that is not there", { apply_policies: ["gone"] }, [granting], 403, forbidden],
    ["a policy that does not apply", { apply_policies: ["granting"] }, [{ ...granting, active: false }], 403],
    ["a policy without rights", { apply_policies: ["p"] }, [{ id: "p", rate: 5, per: 1 }], 403, forbidden],
    [
      "rights of its own beside a policy that has none",
      { access_rights: orders, apply_policies: ["p"] },
      [{ id: "p", partitions: { quota: true }, quota_max: 5 }],
      200,
    ],
    [
      "rights of its own beside those of a policy",
      { access_rights: orders, apply_policies: ["p"] },
      [{ id: "p", access_rights: { other: {} } }],
      403,
      forbidden,
    ],
    [
      "the union of two policies",
      { apply_policies: ["granting", "p"] },
      [granting, { id: "p", access_rights: { other: {} } }],
      200,
    ],
    [
      "a policy whose partitions leave its rights out",
      { apply_policies: ["granting"] },
      [{ ...granting, partitions: { rate_limit: true } }],
      403,
      forbidden,
    ],
    ["its versions", { access_rights: { orders: { versions: ["Default"] } } }, [], 200],
    ["other versions", { access_rights: { orders: { versions: ["v2"] } } }, [], 403, forbidden],
    ["inactive", { is_inactive: true }, [], 403, "Key is inactive, please renew"],
    ["a policy that is denied", { apply_policies: ["granting"] }, [{ ...granting, state: "deny" }], 403],
    ["expired", { expires: 1 }, [], 401, "Key has expired, please renew"],
    ["expires later", { expires: 99_999_999_999 }, [], 200],
    ["never expires", { expires: 0 }, [], 200],
    ["the API `__proto__`", { access_rights: { ["__proto__"]: {} } }, [], 403, forbidden],
  ];
  for (const [what, key, policies, status, error] of rows) {
    const gateway = await startGuarded(chain, { keys: keysWith(key, policies) });
    const response = await fetch(gateway.url, request);
    assert.is(response.status, status, what);
    if (error !== undefined) assert.equal(await response.json(), { error }, what);
    assert.equal(gateway.received, status === 200 ? ["a"] : [], what);
    await gateway.close();
  }
});

test("a version is callable with a right to its own API, or to the API that lists it", async () => {
  const output = memoryOutput();
  const stream = { intake: () => ({ input: plainHttpServerInput({ path: "/new" }), output }) };
  const versions = versionsInPath({
    versions: [
      { name: "v1", id: "orders" },
      { name: "v2", id: "second" },
    ],
    default: "v1",
    fallbackToDefault: true,
  });
  const protections = () => [...chain, rateLimits()];
  const apis = [
    { ...ordersApi(stream), versions, protections },
    { id: "second", listenPath: "/second/", streams: stream, protections },
  ];
  const once = { limit: { rate: 1, per: 60 } };
  const rows: readonly [string, NonNullable<Key["access_rights"]>, readonly number[]][] = [
    ["none", { other: {} }, [403, 403, 403, 403]],
    ["every version", { orders: {} }, [200, 200, 200, 403]],
    ["the version that has no others", { orders: { versions: ["Default"] } }, [200, 200, 403, 403]],
    ["the first", { orders: { versions: ["v1"] } }, [200, 200, 403, 403]],
    ["the second by its name", { orders: { versions: ["v2"] } }, [403, 403, 200, 403]],
    ["the second itself", { second: {} }, [403, 403, 200, 200]],
    ["the second, as it is by itself", { second: { versions: ["Default"] } }, [403, 403, 200, 200]],
    ["the second, as a version", { second: { versions: ["v2"] } }, [403, 403, 200, 403]],
    ["the name of another", { second: { versions: ["v1"] } }, [403, 403, 403, 403]],
    ["all versions at one rate", { orders: once }, [200, 429, 429, 403]],
    ["each at its own", { orders: once, second: once }, [200, 429, 200, 429]],
  ];
  for (const [what, access_rights, expected] of rows) {
    const gateway = await startGateway(apis, { keys: keysWith({ access_rights }) });
    const statuses: number[] = [];
    for (const path of ["/orders/new", "/orders/v1/new", "/orders/v2/new", "/second/new"])
      statuses.push((await fetch(gateway.url + path, request)).status);
    assert.equal(statuses, expected, what);
    await gateway.close();
  }
});

test("only allowed paths and methods are accepted, in every spelling", async () => {
  const upstream = await httpServer();
  const urls = [
    { url: pathTest("^/public/"), methods: ["get"] },
    { url: pathTest("^/items/[^/]+$") },
    { url: pathTest("^/a b$") },
    { url: undefined },
  ];
  const api = ordersApi({}, upstream.url);
  const keys = keysWith({ access_rights: { orders: { allowed_urls: urls } } });
  const gateway = await startGateway([{ ...api, protections: () => chain }], { keys });
  const rows: readonly [string, string, number][] = [
    ["GET", "/public/a", 200],
    ["POST", "/public/a", 403],
    ["HEAD", "/public/a", 403],
    ["GET", "/public", 403],
    ["GET", "/Public/a", 403],
    ["GET", "//public/a", 403],
    ["GET", "/x/public/a", 403],
    ["PUT", "/items/5", 200],
    ["GET", "/items/5/more", 403],
    ["GET", "/items/5%2Fmore", 403],
    ["GET", "/items%2F5", 403],
    ["GET", "/a%20b", 200],
    ["GET", "/public/..%2Fadmin", 400],
    ["GET", "/public/%2e%2e/admin", 403],
    ["GET", "/public/.%2Fa", 400],
    ["GET", "/admin?x=/public/", 403],
    ["GET", "/", 403],
  ];
  for (const [method, path, status] of rows) {
    const before = upstream.requests.length;
    const response = await fetch(`${gateway.url}/orders${path}`, { method, headers: request.headers });
    assert.is(response.status, status, `${method} ${path}`);
    if (status === 403 && method !== "HEAD") {
      assert.equal(await response.json(), { error: "Access to this resource has been disallowed" });
    }
    assert.is(upstream.requests.length - before, status === 200 ? 1 : 0, `${method} ${path}`);
  }
  await gateway.close();
  await upstream.close();
});

test("matching a path takes linear time", async () => {
  const urls = [{ url: pathTest("^/(a+)+$") }];
  const keys = keysWith({ access_rights: { orders: { allowed_urls: urls } } });
  const gateway = await startGuarded(chain, { keys });
  const response = await fetch(`${gateway.url.replace("/new", "/")}${"a".repeat(5_000)}!`, request);
  assert.is(response.status, 403);
  await gateway.close();
});

test("a key never grants access to an API of another organisation", async () => {
  const orders = { access_rights: { orders: {} } };
  const rows: readonly [string | undefined, Key, number][] = [
    ["red", { org_id: "red", ...orders }, 200],
    ["red", { org_id: "red" }, 200],
    ["red", { org_id: "blue", ...orders }, 403],
    ["red", { org_id: "blue" }, 403],
    // Keys in `gateway.yaml` belong to the operator.
    ["red", orders, 200],
    [undefined, { org_id: "blue", ...orders }, 200],
  ];
  for (const [organisation, key, expected] of rows) {
    const api = ordersApi({
      intake: () => ({ input: plainHttpServerInput({ path: "/new" }), output: memoryOutput() }),
    });
    const owned = { ...api, protections: () => chain, ...(organisation && { organisation }) };
    const gateway = await startGateway([owned], { keys: keysWith(key) });
    const { status } = await fetch(`${gateway.url}/orders/new`, request);
    assert.is(status, expected, JSON.stringify([organisation, key]));
    await gateway.close();
  }
});

test.run();
