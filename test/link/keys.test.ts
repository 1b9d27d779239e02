import { test } from "uvu";
import * as assert from "uvu/assert";
import { type BundleOptions, bundleApi, packagesOf } from "../bundles.ts";

const hash = "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae";
const password = "$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy";

/** The parts of a gateway that asks for a key or a user, or for nobody. */
async function carried(scheme: "key" | "user" | undefined, keys: BundleOptions["keys"]) {
  const securitySchemes = {
    key: { type: "apiKey", in: "header", name: "X-Api-Key" },
    user: { type: "http", scheme: "basic" },
  };
  const bundle = await bundleApi(
    {
      components: { securitySchemes },
      security: [{ [scheme ?? "key"]: [] }],
      "x-gw-api-gateway": {
        info: { id: "shop" },
        server: { authentication: { enabled: scheme !== undefined } },
      },
      "x-gw-streaming": { streams: { a: { input: { http_server: { path: "/a" } }, output: { drop: {} } } } },
    },
    keys === undefined ? {} : { keys },
  );
  const parts = [...bundle.modules].flatMap(([path, bytes]) =>
    bytes > 0 && /^runtime\/(keys|protections)\//.test(path) ? [path.replace(/^.*\/|\.ts$/g, "")] : [],
  );
  return {
    has: (part: string) => parts.includes(part),
    parts,
    packages: packagesOf(bundle),
    code: bundle.code,
  };
}

test("an open gateway contains no code for keys, and no keys", async () => {
  const { parts, code } = await carried(undefined, [{ key_hash: hash }]);
  assert.equal(parts, []);
  assert.not(code.includes(hash));
});

test("keys alone add neither password hashing nor path patterns", async () => {
  const { has, packages, code } = await carried("key", [{ key_hash: hash }]);
  assert.ok(has("auth-token") && has("access-rights") && has("configured-keys") && code.includes(hash));
  assert.not(has("basic") || has("passwords") || has("bcrypt") || has("path-test"));
  assert.not(packages.has("re2js") || packages.has("bcryptjs"));
});

test("path patterns add their engine, and users add password hashing with its licence", async () => {
  const rights = { shop: { allowed_urls: [{ url: "^/a$" }] } };
  const patterns = await carried("key", [{ key_hash: hash, access_rights: rights }]);
  assert.ok(patterns.has("path-test") && patterns.packages.has("re2js"));
  const users = await carried("user", [{ username: "ann", basic_auth_data: { password } }]);
  assert.ok(users.has("basic") && users.has("bcrypt") && users.packages.has("bcryptjs"));
  assert.not(users.has("auth-token"));
  assert.match(users.code, /^bcryptjs:$/m);
});

test.run();
