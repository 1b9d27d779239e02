// A malicious provider, or an attacker in its place: none of its responses signs anyone in.

import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import { exportJWK, exportSPKI, generateKeyPair, SignJWT } from "jose";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createSeal, type PendingSignIn } from "../../../runtime/sign-on/pending.ts";
import { beganBefore, createProvider, type Provider } from "../../../runtime/sign-on/provider.ts";
import { completeSettings } from "../../../runtime/sign-on/settings.ts";
import { type LoopbackServer, listenOnLoopback } from "../../harness/loopback-server.ts";

const test = suite("answers of a provider");
const pending: PendingSignIn = {
  state: "state",
  nonce: "nonce",
  verifier: "v".repeat(43),
  view: "",
  expires: Date.now() + 60_000,
};
const answer = new URLSearchParams({ code: "code", state: "state" });
const keys = await generateKeyPair("RS256", { extractable: true });
const foreign = await generateKeyPair("RS256");

let server: LoopbackServer;
let idToken = "";
let discovery: Readonly<Record<string, unknown>> = {};
let padding = "";
const stop = new AbortController();

test.before(async () => {
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: "1", alg: "RS256" };
  server = await listenOnLoopback(
    createServer((request, response) => {
      const token = { access_token: "a", token_type: "bearer", id_token: idToken, padding };
      const answers: Readonly<Record<string, object>> = { "/keys": { keys: [jwk] }, "/token": token };
      const known = answers[request.url ?? ""];
      if (request.url === "/moved") response.writeHead(302, { location: "/token" }).end();
      else
        response
          .writeHead(200, { "content-type": "application/json" })
          .end(JSON.stringify(known ?? discovery));
    }),
  );
});
test.after(async () => {
  stop.abort();
  await server.close();
});

function provider(more: object = {}): Provider {
  discovery = {
    issuer: server.url,
    authorization_endpoint: `${server.url}/authorize`,
    token_endpoint: `${server.url}/token`,
    jwks_uri: `${server.url}/keys`,
    id_token_signing_alg_values_supported: ["RS256", "HS256", "none"],
    ...more,
  };
  return createProvider({
    settings: completeSettings({
      issuer: server.url,
      client_id: "sluice",
      url: "https://gateway.example.com",
    }),
    secret: "a secret of the tests",
    redirectUri: "https://gateway.example.com/portal/sign-in/callback",
    signal: stop.signal,
  });
}

function sign(
  claims: Record<string, unknown> = {},
  key = keys.privateKey,
  header: object = {},
): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const right = { iss: server.url, aud: "sluice", sub: "ada", nonce: "nonce", iat: now, exp: now + 60 };
  return new SignJWT({ ...right, ...claims })
    .setProtectedHeader({ alg: "RS256", kid: "1", ...header })
    .sign(key);
}

async function exchanged(token: string, more: object = {}): Promise<string | undefined> {
  idToken = token;
  return provider(more)
    .exchange(answer, pending)
    .then(({ claims }) => claims.sub)
    .catch(() => undefined);
}

test("an ID token must be of the issuer, this client and this sign-in, and not expired", async () => {
  assert.is(await exchanged(await sign()), "ada");
  const past = Math.floor(Date.now() / 1000) - 3600;
  const wrong: readonly Record<string, unknown>[] = [
    { iss: "https://evil.example" },
    { aud: "another" },
    { aud: ["sluice", "another"] },
    { aud: ["sluice", "another"], azp: "another" },
    { azp: "another" },
    { nonce: "another" },
    { nonce: undefined },
    { exp: past },
    { exp: undefined },
    { iat: undefined },
    { sub: undefined },
    { nbf: past + 7200 },
  ];
  for (const claims of wrong)
    assert.is(await exchanged(await sign(claims)), undefined, JSON.stringify(claims));
  assert.is(await exchanged(await sign({}, foreign.privateKey)), undefined);
});

test("signatures need a public key", async () => {
  const [, payload = ""] = (await sign()).split(".");
  const headerOf = (header: object) => Buffer.from(JSON.stringify(header)).toString("base64url");
  assert.is(await exchanged(`${headerOf({ alg: "none" })}.${payload}.`), undefined);
  const spki = await exportSPKI(keys.publicKey);
  for (const secret of [spki, spki.trim(), "a secret of the tests"]) {
    const text = `${headerOf({ alg: "HS256", kid: "1" })}.${payload}`;
    const signature = createHmac("sha256", secret).update(text).digest("base64url");
    assert.is(await exchanged(`${text}.${signature}`), undefined);
  }
});

test("a key is resolved from the provider's key set only, regardless of headers", async () => {
  const own = { ...(await exportJWK(foreign.publicKey)), kid: "evil", alg: "RS256" };
  const evil = await listenOnLoopback(
    createServer((_, response) => response.end(JSON.stringify({ keys: [own, { ...own, kid: "1" }] }))),
  );
  const { protocol, host } = new URL(evil.url);
  const headers = [
    {},
    { kid: "evil" },
    { kid: undefined },
    { kid: "../../../../dev/null" },
    { kid: "__proto__" },
    { kid: "1\u0000" },
    { jwk: own },
    { jku: evil.url, kid: "evil" },
    { jku: `${server.url}@${host}/`, kid: "evil" },
    { jku: `${protocol}//${host}/keys#${server.url}/keys` },
    { x5u: evil.url },
    { x5c: [Buffer.from("certificate").toString("base64")] },
  ];
  const events = { "http://schemas.openid.net/event/backchannel-logout": {} };
  for (const header of headers) {
    const name = JSON.stringify(header);
    assert.is(await exchanged(await sign({}, foreign.privateKey, header)), undefined, name);
    const logout = await sign({ events, jti: "1", nonce: undefined }, foreign.privateKey, header);
    assert.ok(await isRefused(provider().readLogout(logout)), name);
  }
  await evil.close();
});

test("an unknown critical header is rejected, and so are other signing formats", async () => {
  const token = await sign();
  const [, payload = "", signature = ""] = token.split(".");
  const headers = [
    { alg: "RS256", kid: "1", crit: ["exp"], exp: 0 },
    { alg: "RS256", kid: "1", crit: [] },
    { alg: "RS256", kid: "1", crit: ["b64"], b64: false },
    { alg: "rs256", kid: "1" },
    { alg: "None", kid: "1" },
    { alg: ["RS256"], kid: "1" },
    { alg: "RS256", kid: "1", zip: "DEF" },
    { kid: "1" },
  ];
  for (const header of headers) {
    const head = Buffer.from(JSON.stringify(header)).toString("base64url");
    assert.is(await exchanged(`${head}.${payload}.${signature}`), undefined, JSON.stringify(header));
    const text = new TextEncoder().encode(`${head}.${payload}`);
    const valid = Buffer.from(await crypto.subtle.sign("RSASSA-PKCS1-v1_5", keys.privateKey, text)).toString(
      "base64url",
    );
    const expected = "zip" in header ? "ada" : undefined; // a parameter of encryption, which is ignored here
    assert.is(await exchanged(`${head}.${payload}.${valid}`), expected, JSON.stringify(header));
  }
  for (const odd of [`${token}.`, `.${token}`, token.replace(".", ".."), `${token}.a.b`, "..", ""])
    assert.is(await exchanged(odd), undefined, odd);
});

test("sealed browser state is bound to one server, one provider and one client", () => {
  const own = createSeal("secret", "portal", "https://a.example", "client");
  const sealed = own.seal(pending);
  assert.equal(own.open(sealed), pending);
  const others = [
    createSeal("secret", "management", "https://a.example", "client"),
    createSeal("secret", "portal", "https://b.example", "client"),
    createSeal("secret", "portal", "https://a.example", "other"),
    createSeal("secret", "portal", "https://a.exampleclient", ""),
    createSeal("other", "portal", "https://a.example", "client"),
  ];
  assert.equal(
    others.map((other) => other.open(sealed)),
    others.map(() => undefined),
  );
  for (const odd of ["", "a", sealed.slice(1), `${sealed.slice(0, -4)}AAAA`, "\u0000", "é", sealed.repeat(2)])
    assert.is(own.open(odd), undefined);
});

test("a response must have the right state and issuer, and no error", async () => {
  idToken = await sign();
  const asked = provider({ authorization_response_iss_parameter_supported: true });
  const right = { code: "code", state: "state", iss: server.url };
  await asked.exchange(new URLSearchParams(right), pending);
  const wrong = [
    { ...right, state: "another" },
    { ...right, iss: "https://evil.example" },
    { code: "code", state: "state" },
    { ...right, error: "access_denied" },
    { ...right, iss: `${server.url}/` },
    { ...right, iss: server.url.replace("127.0.0.1", "127.1") },
    { state: "state", iss: server.url },
  ];
  for (const each of wrong) {
    assert.ok(await isRefused(asked.exchange(new URLSearchParams(each), pending)), JSON.stringify(each));
  }
  for (const [name, value] of Object.entries(right)) {
    const twice = new URLSearchParams([...Object.entries(right), [name, value]]);
    assert.ok(await isRefused(asked.exchange(twice, pending)), `${name} twice`);
  }
});

test("discovery rejects another issuer, plain HTTP elsewhere, and endless responses", async () => {
  const token = await sign();
  assert.is(await exchanged(token, { issuer: "https://evil.example" }), undefined);
  assert.is(await exchanged(token, { token_endpoint: "http://169.254.169.254/token" }), undefined);
  assert.is(await exchanged(token, { jwks_uri: "http://169.254.169.254/keys" }), undefined);
  assert.is(await exchanged(token, { token_endpoint: `${server.url}/moved` }), undefined);
  padding = "x".repeat(300_000);
  assert.is(await exchanged(token), undefined);
  padding = "";
  const elsewhere = provider({ authorization_endpoint: "http://evil.example/authorize" });
  assert.ok(await isRefused(elsewhere.authorizationUrl(pending)));
});

test("a logout token without its event or subject, or with a nonce, is rejected", async () => {
  const events = { "http://schemas.openid.net/event/backchannel-logout": {} };
  const right = { events, jti: "1", nonce: undefined };
  const read = async (claims: Record<string, unknown>) =>
    provider()
      .readLogout(await sign(claims))
      .catch(() => undefined);
  const iat = Math.floor(Date.now() / 1000) - 5;
  assert.equal(await read({ ...right, sid: "s", iat }), { sub: "ada", sid: "s", issuedAt: iat });
  assert.is(await read({ ...right, events: {} }), undefined);
  assert.is(await read({ ...right, nonce: "n" }), undefined);
  assert.is(await read({ ...right, jti: undefined }), undefined);
  assert.is(await read({ ...right, sub: undefined }), undefined);
  assert.is(await read({ ...right, aud: "another" }), undefined);
  assert.is(await read({ ...right, exp: iat - 60 }), undefined);
  assert.is(await read({ ...right, iat: undefined }), undefined);
});

test("a replayed logout token ends no session that started after it", async () => {
  const began = Math.floor(Date.now() / 1000);
  const idToken = await sign({ iat: began });
  assert.ok(beganBefore({ issuedAt: began + 1 }, idToken));
  assert.ok(beganBefore({ issuedAt: began - 20 }, idToken), "clocks of the provider's servers differ");
  assert.not.ok(beganBefore({ issuedAt: began - 40 }, idToken));
});

async function isRefused(attempt: Promise<unknown>): Promise<boolean> {
  return attempt.then(
    () => false,
    () => true,
  );
}

test.run();
