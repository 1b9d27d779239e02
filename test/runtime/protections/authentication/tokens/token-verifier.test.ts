import { createHmac } from "node:crypto";
import { CompactSign, exportPKCS8, generateKeyPair } from "jose";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { EnvironmentError } from "../../../../../runtime/process/environment.ts";
import { findAlgorithms } from "../../../../../runtime/protections/authentication/tokens/algorithms.ts";
import {
  staticKeys,
  type TokenKeys,
} from "../../../../../runtime/protections/authentication/tokens/token-keys.ts";
import { createTokenVerifier } from "../../../../../runtime/protections/authentication/tokens/token-verifier.ts";
import { createSigner, rawToken, type Signer, signWith } from "../signers.ts";

const secret = "a secret that is long enough for HS512, which is the longest of them";

function allowed(method: string) {
  const found = findAlgorithms(method);
  if (found === undefined) throw new Error(`${method} is no method`);
  return found;
}

function verifier(method: string, source: string) {
  const algorithms = allowed(method);
  return createTokenVerifier(algorithms, staticKeys(source, algorithms.family));
}

test("tokens of every algorithm verify with the matching key", async () => {
  const rows = [
    ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"].map((alg) => ["rsa", alg] as const),
    ...["ES256", "ES384", "ES512"].map((alg) => ["ecdsa", alg] as const),
    ...["EdDSA", "Ed25519"].map((alg) => ["eddsa", alg] as const),
  ];
  for (const [family, alg] of rows) {
    const [signer, other] = await Promise.all([createSigner(alg), createSigner(alg)]);
    const token = await signer.sign({ sub: "ada" });
    for (const method of [family, alg]) {
      assert.is(
        (await verifier(method, signer.publicKey).verify(token))?.claims.sub,
        "ada",
        `${method} ${alg}`,
      );
    }
    assert.is((await verifier(family, signer.publicKey).verify(token))?.kid, alg);
    assert.is(await verifier(family, other.publicKey).verify(token), undefined, alg);
  }
  for (const alg of ["HS256", "HS384", "HS512"]) {
    const token = await signWith(Buffer.from(secret), { sub: "ada" }, { alg });
    assert.ok(await verifier("hmac", secret).verify(token));
    assert.ok(await verifier("hmac", Buffer.from(secret).toString("base64")).verify(token));
    assert.is(await verifier("hmac", `${secret}.`).verify(token), undefined);
  }
});

test("unencoded payloads (b64: false) are rejected", async () => {
  const claims = JSON.stringify({ sub: "ada" });
  const sign = (head: object, payload: string) => {
    const text = `${Buffer.from(JSON.stringify({ alg: "HS256", ...head })).toString("base64url")}.${payload}`;
    return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
  };
  const encoded = Buffer.from(claims).toString("base64url");
  assert.ok(await verifier("hmac", secret).verify(sign({}, encoded)), "for comparison");
  for (const payload of [claims, encoded]) {
    assert.is(await verifier("hmac", secret).verify(sign({ b64: false, crit: ["b64"] }, payload)), undefined);
    assert.is(await verifier("hmac", secret).verify(sign({ b64: false }, payload)), undefined);
  }
});

test("a token cannot choose its algorithm", async () => {
  const signer = await createSigner("RS256");
  const asSecret = Buffer.from(signer.publicKey);
  const claims = { sub: "mallory", exp: 4_000_000_000 };
  const good = await signer.sign(claims);
  const [, payload = "", signature = ""] = good.split(".");
  const confused = await signWith(asSecret, claims, { alg: "HS256", kid: signer.kid });
  const tokens: readonly [string, string][] = [
    ["none", rawToken({ alg: "none" }, claims)],
    ["None", rawToken({ alg: "None" }, claims)],
    ["NONE with a signature", rawToken({ alg: "NONE" }, claims, signature)],
    ["no algorithm", rawToken({ typ: "JWT" }, claims, signature)],
    ["the public key as secret", confused],
    ["another of the family than signed", rawToken({ alg: "RS512" }, claims, signature)],
    ["an empty signature", `${good.split(".").slice(0, 2).join(".")}.`],
    ["a list of algorithms", rawToken({ alg: ["RS256"] }, claims, signature)],
    ["an algorithm of prototypes", rawToken({ alg: "constructor" }, claims, signature)],
    [
      "other claims",
      `${good.split(".")[0]}.${Buffer.from('{"sub":"root"}').toString("base64url")}.${signature}`,
    ],
    ["a critical header", await signer.sign(claims, { crit: ["exp"], exp: 1 }).catch(() => "a.b.c")],
    ["an unencoded payload", rawToken({ alg: "RS256", b64: false, crit: ["b64"] }, claims, signature)],
    ["its own key", rawToken({ alg: "RS256", jwk: (await createSigner("RS256")).jwk }, claims, signature)],
    ["a key that is no text", rawToken({ alg: "RS256", kid: { a: 1 } }, claims, signature)],
    ["two parts", `${payload}.${signature}`],
    ["four parts", `${good}.${signature}`],
    ["five parts", "a.b.c.d.e"],
    ["nothing", ""],
    ["dots", ".."],
    ["spaces", ` ${good}`],
    ["too long", `${good}${"A".repeat(9000)}`],
  ];
  const { verify } = verifier("rsa", signer.publicKey);
  assert.ok(await verify(good));
  for (const [name, token] of tokens) assert.is(await verify(token), undefined, name);
});

test("if one algorithm is configured, related ones are rejected", async () => {
  const signer = await createSigner("RS256");
  assert.is(await verifier("RS512", signer.publicKey).verify(await signer.sign({})), undefined);
  assert.is(
    await verifier("ES256", (await createSigner("ES256")).publicKey).verify(await signer.sign({})),
    undefined,
  );
});

test("a signed payload that is not a claims object is not a token", async () => {
  for (const text of ["[]", "null", "1", "no JSON", '"text"', ""]) {
    const token = await new CompactSign(Buffer.from(text))
      .setProtectedHeader({ alg: "HS256" })
      .sign(Buffer.from(secret));
    assert.is(await verifier("hmac", secret).verify(token), undefined, text);
  }
});

test("claims have no prototype", async () => {
  const signed = await new CompactSign(Buffer.from('{"__proto__":{"sub":"root"},"a":1}'))
    .setProtectedHeader({ alg: "HS256" })
    .sign(Buffer.from(secret));
  const claims = (await verifier("hmac", secret).verify(signed))?.claims;
  assert.is(claims?.sub, undefined);
  assert.is(claims?.toString, undefined);
});

test("a signature is verified once, until the keys change", async () => {
  const signers = await Promise.all([createSigner("ES256", "one"), createSigner("ES256", "one")]);
  let [signer] = signers as readonly [Signer, Signer];
  let asked = 0;
  const keys: TokenKeys = {
    version: () => signer.publicKey,
    find: async () => {
      asked += 1;
      return staticKeys(signer.publicKey, "ecdsa").find({ alg: "ES256" });
    },
  };
  const { verify } = createTokenVerifier(allowed("ecdsa"), keys);
  const token = await signer.sign({});
  for (let index = 0; index < 3; index += 1) assert.ok(await verify(token));
  assert.is(asked, 1);
  signer = signers[1] ?? signer;
  assert.is(await verify(token), undefined);
  assert.is(asked, 2);
});

test("unusable keys keep the gateway from starting, and are not quoted", async () => {
  const signer = await createSigner("ES256");
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  const rows: readonly [string, string][] = [
    ["hmac", "tiny"],
    ["hmac", Buffer.from("tiny").toString("base64")],
    ["hmac", ""],
    ["hmac", signer.publicKey],
    ["hmac", Buffer.from(signer.publicKey).toString("base64")],
    ["rsa", secret],
    ["ecdsa", ""],
    ["ecdsa", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----"],
    ["ecdsa", await exportPKCS8(privateKey)],
  ];
  for (const [method, source] of rows) {
    assert.throws(
      () => verifier(method, source),
      (error: unknown) =>
        error instanceof EnvironmentError && (source === "" || !error.message.includes(source)),
      `${method} ${source}`,
    );
  }
  assert.is(findAlgorithms("none"), undefined);
  assert.is(findAlgorithms("HS"), undefined);
});

test.run();
