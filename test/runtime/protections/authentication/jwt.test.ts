import { test } from "uvu";
import * as assert from "uvu/assert";
import { hashKey } from "../../../../runtime/keys/key-hash.ts";
import { EnvironmentError } from "../../../../runtime/process/environment.ts";
import { type JwtOptions, jwt } from "../../../../runtime/protections/authentication/jwt.ts";
import { jwtOfKeys } from "../../../../runtime/protections/authentication/jwt-of-keys.ts";
import { guardedBy, refusals } from "./guarded-by.ts";
import { createSigner, rawToken, signWith, startIssuer } from "./signers.ts";

const secret = "a secret that is long enough for HS512, which is the longest of them";
const now = () => Math.floor(Date.now() / 1000);
const signer = await createSigner("RS256");
const header = "Authorization";

function withKey(more: Partial<JwtOptions> = {}) {
  return jwt({ header, signingMethod: "rsa", source: signer.publicKey, ...more });
}

test("tokens are accepted in headers, queries and cookies, once", async () => {
  const gateway = await guardedBy(withKey({ query: "token", cookie: "token" }));
  const token = await signer.sign({ sub: "ada" });
  const bad = rawToken({ alg: "none" }, { sub: "ada" });
  assert.is((await gateway.bear(token))[0], 200);
  assert.is((await gateway.ask({ authorization: token }))[0], 200);
  assert.is((await gateway.ask({}, `?token=${token}`))[0], 200);
  assert.is((await gateway.ask({ cookie: `a=b; token=${token}` }))[0], 200);
  assert.equal(await gateway.ask(), refusals.missing);
  assert.equal(await gateway.ask({ authorization: "Bearer " }), refusals.disallowed);
  assert.equal(await gateway.ask({ authorization: "Basic YTpi" }), refusals.missing);
  assert.is((await gateway.ask({}, `?token=${token}&token=${bad}`))[0], 400);
  assert.is((await gateway.ask({}, `?token=${bad}&token=${token}`))[0], 400);
  assert.is((await gateway.ask({ cookie: `token=${token}; token=${bad}` }))[0], 400);
  // The header is checked first; a valid token in the query does not replace an invalid one there.
  assert.equal(await gateway.ask({ authorization: `Bearer ${bad}` }, `?token=${token}`), refusals.disallowed);
  assert.is(gateway.received.length, 4);
  await gateway.close();
});

test("forged, modified and oversized tokens reach no stream", async () => {
  const gateway = await guardedBy(withKey());
  const claims = { sub: "mallory", exp: now() + 300 };
  const [head = "", , signature = ""] = (await signer.sign(claims)).split(".");
  const tokens = [
    rawToken({ alg: "none" }, claims),
    rawToken({ alg: "nOnE" }, claims, signature),
    await signWith(Buffer.from(signer.publicKey), claims, { alg: "HS256" }),
    await signWith(Buffer.from(signer.publicKey.trim()), claims, { alg: "HS512" }),
    await (await createSigner("RS256")).sign(claims),
    await (await createSigner("ES256")).sign(claims),
    `${head}.${Buffer.from(JSON.stringify({ sub: "root" })).toString("base64url")}.${signature}`,
    `${head}..${signature}`,
    "..",
    "a.b.c",
    `${head}.${"A".repeat(9000)}.${signature}`,
    await signer.sign({ ...claims, padding: "x".repeat(8000) }),
  ];
  for (const token of tokens)
    assert.equal(await gateway.bear(token), refusals.disallowed, token.slice(0, 80));
  assert.equal(gateway.received, []);
  assert.not(JSON.stringify(gateway.lines).includes(signature));
  await gateway.close();
});

test("times are validated with the allowed skews", async () => {
  const rows: readonly [Partial<JwtOptions>, Record<string, unknown>, readonly [number, ...unknown[]]][] = [
    [{}, { exp: now() - 1 }, refusals.expired],
    [{ expiresAtValidationSkew: 60 }, { exp: now() - 30 }, [200, undefined]],
    [{ expiresAtValidationSkew: 60 }, { exp: now() - 90 }, refusals.expired],
    [{}, { nbf: now() + 60 }, refusals.disallowed],
    [{ notBeforeValidationSkew: 120 }, { nbf: now() + 60 }, [200, undefined]],
    [{}, { iat: now() + 60 }, refusals.disallowed],
    [{ issuedAtValidationSkew: 120 }, { iat: now() + 60 }, [200, undefined]],
    [{}, { exp: String(now() + 60) }, refusals.disallowed],
    [{}, { nbf: "now" }, refusals.disallowed],
    [{}, { exp: null }, refusals.disallowed],
    [{}, { exp: undefined }, [200, undefined]],
  ];
  for (const [options, claims, expected] of rows) {
    const gateway = await guardedBy(withKey(options));
    const token = await signer.sign({ sub: "ada", ...claims });
    // A cached signature does not outlive its token: both calls have the same result.
    for (const _ of [1, 2])
      assert.equal(await gateway.bear(token), expected, JSON.stringify([options, claims]));
    await gateway.close();
  }
});

test("issuer, audience and subject must be among the allowed ones", async () => {
  const options = {
    allowedIssuers: ["https://a"],
    allowedAudiences: ["orders", "all"],
    allowedSubjects: ["ada", "bob"],
  };
  const gateway = await guardedBy(withKey(options));
  const good = { iss: "https://a", aud: "orders", sub: "ada" };
  assert.is((await gateway.bear(await signer.sign(good)))[0], 200);
  assert.is((await gateway.bear(await signer.sign({ ...good, aud: ["x", "all"] })))[0], 200);
  const bad = [
    { iss: "https://b" },
    { iss: undefined },
    { iss: ["https://a", "https://b"].join() },
    { iss: ["https://b", "https://a"] as never },
    { sub: ["ada"] as never },
    { aud: "order" },
    { aud: [] },
    { aud: undefined },
    { aud: { orders: true } },
    { sub: "eve" },
    { sub: undefined },
  ];
  for (const claims of bad) {
    assert.equal(
      await gateway.bear(await signer.sign({ ...good, ...claims })),
      refusals.disallowed,
      JSON.stringify(claims),
    );
  }
  await gateway.close();
});

test("a claim names the owner, and only its policies grant access", async () => {
  const rows: readonly [Partial<JwtOptions>, Record<string, unknown>, number][] = [
    [{}, { sub: "ada" }, 200],
    [{}, { sub: undefined }, 403],
    [{}, { sub: "" }, 403],
    [{}, { sub: { name: "ada" } }, 403],
    [{ identityBaseField: "user.id" }, { user: { id: 7 } }, 200],
    [{ identityBaseField: "user.id" }, { "user.id": "ada" }, 200],
    [{ identityBaseField: "constructor.name" }, { sub: "ada" }, 403],
    [{ identityBaseField: "email", subjectClaims: ["sub"] }, { sub: "ada" }, 200],
    [{ policyFieldName: "pol" }, { sub: "ada", pol: "gold" }, 200],
    [{ policyFieldName: "pol" }, { sub: "ada", pol: ["unknown", "silver"] }, 200],
    [{ policyFieldName: "pol" }, { sub: "ada", pol: "unknown" }, 403],
    [{ policyFieldName: "pol" }, { sub: "ada", pol: "elsewhere" }, 403],
    [{ policyFieldName: "pol" }, { sub: "ada" }, 403],
    [{ policyFieldName: "pol", defaultPolicies: ["gold"] }, { sub: "ada" }, 200],
    [{ policyFieldName: "pol", defaultPolicies: ["gold"] }, { sub: "ada", pol: "elsewhere" }, 403],
    [{ basePolicyClaims: ["a", "b"] }, { sub: "ada", b: "gold" }, 200],
    [{ defaultPolicies: ["elsewhere"] }, { sub: "ada" }, 403],
    [
      { scopes: { scopeToPolicyMapping: [{ scope: "buy", policyId: "gold" }] } },
      { sub: "ada", scope: "look buy" },
      200,
    ],
    [
      { scopes: { scopeToPolicyMapping: [{ scope: "buy", policyId: "gold" }] } },
      { sub: "ada", scope: "look" },
      403,
    ],
    [
      { scopes: { claimName: "x.y", scopeToPolicyMapping: [{ scope: "buy", policyId: "gold" }] } },
      { sub: "ada", x: { y: ["buy"] } },
      200,
    ],
    [{ policyFieldName: "__proto__" }, { sub: "ada" }, 403],
  ];
  for (const [options, claims, status] of rows) {
    const gateway = await guardedBy(withKey(options));
    const [given] = await gateway.bear(await signer.sign(claims));
    assert.is(given, status, JSON.stringify([options, claims]));
    await gateway.close();
  }
});

test("scopes required by an operation must be in the token", async () => {
  const gateway = await guardedBy(withKey(), ["orders:write"]);
  assert.is(
    (await gateway.bear(await signer.sign({ sub: "ada", scope: "orders:read orders:write" })))[0],
    200,
  );
  assert.is((await gateway.bear(await signer.sign({ sub: "ada", scp: ["orders:write"] })))[0], 200);
  assert.equal(
    await gateway.bear(await signer.sign({ sub: "ada", scope: "orders:writer" })),
    refusals.disallowed,
  );
  assert.equal(await gateway.bear(await signer.sign({ sub: "ada" })), refusals.disallowed);
  await gateway.close();
});

test("published keys rotate, and without them requests are rejected", async () => {
  const [old, fresh] = await Promise.all([createSigner("ES256", "old"), createSigner("ES256", "fresh")]);
  const issuer = await startIssuer();
  issuer.replies.set("/keys", { status: 503 });
  const method = jwt({ header, signingMethod: "ecdsa", jwksURIs: [{ url: `${issuer.url}/keys` }] });
  const gateway = await guardedBy(method);
  assert.equal(await gateway.bear(await old.sign({ sub: "ada" })), refusals.unknowable);
  assert.equal(gateway.received, []);
  await gateway.close();

  issuer.replies.set("/keys", { body: { keys: [old.jwk] } });
  const open = await guardedBy(jwt({ header, signingMethod: "ecdsa", source: `${issuer.url}/keys` }));
  assert.is((await open.bear(await old.sign({ sub: "ada" })))[0], 200);
  const asked = issuer.count("/keys");
  const flood = Array.from({ length: 200 }, async (_, index) =>
    open.bear(await old.sign({ sub: "ada" }, { kid: `made-up-${index}` })),
  );
  for (const answer of await Promise.all(flood)) assert.equal(answer, refusals.disallowed);
  assert.is(issuer.count("/keys"), asked, "the address is asked once within its cooldown");
  assert.equal(await open.bear(await fresh.sign({ sub: "ada" })), refusals.disallowed);
  await open.close();
  await issuer.close();
});

test("keys of the wrong type keep the gateway from starting", () => {
  const rows: readonly Partial<JwtOptions>[] = [
    { signingMethod: "none" },
    { signingMethod: "" },
    { signingMethod: "hmac", source: signer.publicKey },
    { signingMethod: "hmac", source: "https://issuer.example/keys" },
    { signingMethod: "hmac", source: secret, jwksURIs: [{ url: "https://issuer.example/keys" }] },
    { signingMethod: "rsa", source: secret },
  ];
  for (const row of rows) {
    assert.throws(
      () => withKey(row),
      (error: unknown) => error instanceof EnvironmentError,
      JSON.stringify(row),
    );
  }
});

test("a token may be signed with the secret of the key that it names", async () => {
  const keys = [
    { key_hash: hashKey("ada's"), jwt_data: { secret }, apply_policies: ["gold"] },
    { key_hash: hashKey("bob's"), jwt_data: { secret: `${secret} of bob` }, apply_policies: ["elsewhere"] },
    { key_hash: hashKey("eve's"), apply_policies: ["gold"] },
    { key_hash: hashKey("short"), jwt_data: { secret: "short" }, apply_policies: ["gold"] },
  ];
  const gateway = await guardedBy(jwtOfKeys({ header, signingMethod: "hmac" }), [], keys);
  const sign = (kid: string, key: string) => signWith(Buffer.from(key), { sub: "x" }, { alg: "HS256", kid });
  assert.is((await gateway.bear(await sign("ada's", secret)))[0], 200);
  const bad: readonly [string, string][] = [
    ["ada's", `${secret} of bob`],
    ["bob's", `${secret} of bob`],
    ["bob's", secret],
    ["eve's", secret],
    ["short", "short"],
    ["unknown", secret],
    ["__proto__", secret],
  ];
  for (const [kid, key] of bad)
    assert.equal(await gateway.bear(await sign(kid, key)), refusals.disallowed, kid);
  assert.equal(
    await gateway.bear(await signWith(Buffer.from(secret), {}, { alg: "HS256" })),
    refusals.disallowed,
  );
  assert.equal(await gateway.bear(rawToken({ alg: "none", kid: "ada's" }, {})), refusals.disallowed);
  assert.equal(
    await gateway.bear(
      await signWith(Buffer.from(secret), { exp: now() - 1 }, { alg: "HS256", kid: "ada's" }),
    ),
    refusals.expired,
  );
  await gateway.close();
});

test.run();
