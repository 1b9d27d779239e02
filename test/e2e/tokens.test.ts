import { createHash, createHmac } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { temporaryDirectory } from "../harness/directories.ts";
import { basic } from "../runtime/oauth/served.ts";
import { createSigner, signWith, startIssuer } from "../runtime/protections/authentication/signers.ts";
import { buildAndStart } from "./gateway.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const signer = await createSigner("RS256");
const issuer = await startIssuer();
const description = { issuer: issuer.url, jwks_uri: `${issuer.url}/keys` };
issuer.replies.set("/.well-known/openid-configuration", { body: description });
issuer.replies.set("/keys", { body: { keys: [signer.jwk] } });
issuer.replies.set("/introspect", (body) => ({
  body: { active: new URLSearchParams(body).get("token") === "opaque", sub: "ada" },
}));

const settings = `streaming: { enabled: true }
apis: ["*.api.yaml"]
policies:
  - { id: gold, access_rights: { shop: {}, open: {}, asked: {}, own: {}, signed: {} } }
keys:
  - { key_hash: ${sha256("till")}, hmac_secret: "\${HMAC_SECRET}", apply_policies: [gold] }
oauth: { access_token_lifetime: 5m, refresh_tokens: true }
oauth_clients:
  - { client_id: shop, secret_hash: "\${CLIENT_HASH}", policy_id: gold, scopes: ["orders:write"], use_case: tests }
`;

function api(id: string, scheme: string, requirement: string, configured: string): string {
  return `openapi: 3.1.0
info: { title: ${id}, version: 1.0.0 }
paths: {}
components: { securitySchemes: { it: ${scheme} } }
security: [{ it: ${requirement} }]
x-gw-api-gateway:
  info: { id: ${id} }
  server:
    listenPath: { value: /${id}/ }
    authentication: { enabled: true, ${configured} }
x-gw-streaming:
  streams:
    ${id}:
      input: { http_server: { path: /new } }
      output: { drop: {} }
`;
}

const settingsOf = (text: string) => `securitySchemes: { it: { enabled: true, ${text} } }`;
const documents: Readonly<Record<string, string>> = {
  shop: api(
    "shop",
    "{ type: http, scheme: bearer, bearerFormat: JWT }",
    "[]",
    settingsOf(
      'signingMethod: hmac, source: "${TOKEN_SECRET}", allowedAudiences: [shop], policyFieldName: pol',
    ),
  ),
  open: api(
    "open",
    `{ type: openIdConnect, openIdConnectUrl: "${issuer.url}/.well-known/openid-configuration" }`,
    "[]",
    settingsOf("allowedAudiences: [orders], defaultPolicies: [gold]"),
  ),
  asked: api(
    "asked",
    `{ type: oauth2, flows: { clientCredentials: { tokenUrl: "https://issuer.example/token", scopes: {} } } }`,
    "[]",
    settingsOf(
      `introspection: { url: "${issuer.url}/introspect", clientId: gw, clientSecret: "\${ASKED_SECRET}" }`,
    ),
  ),
  own: api(
    "own",
    `{ type: oauth2, flows: { clientCredentials: { tokenUrl: /oauth/token, scopes: { "orders:write": Writes } } } }`,
    '["orders:write"]',
    settingsOf("query: { enabled: true, name: token }"),
  ),
  signed: api("signed", "{ type: http, scheme: signature }", "[]", settingsOf("allowedClockSkew: 30000")),
};

const secrets = {
  HMAC_SECRET: "shared by till and gateway",
  TOKEN_SECRET: "a secret of at least thirty-two bytes",
  ASKED_SECRET: "known to the issuer",
};

test("documents configure tokens, issuers, OAuth clients and signatures, and the bundle enforces them", async () => {
  const folder = temporaryDirectory("tokens");
  writeFileSync(join(folder, "gateway.yaml"), settings);
  for (const [id, text] of Object.entries(documents)) writeFileSync(join(folder, `${id}.api.yaml`), text);
  const client = "the client's secret";
  const gateway = await buildAndStart([join(folder, "gateway.yaml")], {
    ...secrets,
    CLIENT_HASH: sha256(client),
  });
  const post = async (path: string, headers: Readonly<Record<string, string>> = {}) =>
    (await fetch(`${gateway.url}/${path}`, { method: "POST", body: "a", headers })).status;
  const bear = (path: string, token: string) => post(path, { authorization: `Bearer ${token}` });
  for (const id of Object.keys(documents)) assert.is(await post(`${id}/new`), 401, id);

  const claims = { sub: "ada", aud: "shop", pol: "gold" };
  const key = Buffer.from(secrets.TOKEN_SECRET);
  assert.is(await bear("shop/new", await signWith(key, claims, { alg: "HS256" })), 200);
  assert.is(await bear("shop/new", await signWith(key, { ...claims, aud: "x" }, { alg: "HS256" })), 403);
  assert.is(await bear("shop/new", await signWith(key, { ...claims, exp: 1 }, { alg: "HS256" })), 401);

  const ofIssuer = { iss: issuer.url, sub: "ada", aud: "orders" };
  assert.is(await bear("open/new", await signer.sign(ofIssuer)), 200);
  assert.is(await bear("open/new", await signer.sign({ ...ofIssuer, iss: "https://x.example" })), 403);

  assert.is(await bear("asked/new", "opaque"), 200);
  assert.is(await bear("asked/new", "other"), 403);

  const granted = await fetch(`${gateway.url}/oauth/token`, {
    method: "POST",
    body: new URLSearchParams({ grant_type: "client_credentials" }),
    headers: { authorization: basic("shop", client) },
  });
  const {
    access_token: token,
    refresh_token: refresh,
    expires_in: lifetime,
  } = JSON.parse(await granted.text());
  assert.is(lifetime, 300);
  assert.ok(refresh);
  assert.is(await bear("own/new", token), 200);
  assert.is(await post(`own/new?token=${token}`), 200);
  assert.is(await bear("own/new", refresh), 403);

  const date = new Date().toUTCString();
  const sign = (path: string) =>
    createHmac("sha256", secrets.HMAC_SECRET)
      .update(`(request-target): post ${path}\nx-aux-date: ${date}`)
      .digest("base64");
  const authorization = `Signature keyId="till",algorithm="hmac-sha256",headers="(request-target) x-aux-date",signature="${sign("/signed/new")}"`;
  assert.is(await post("signed/new", { authorization, "x-aux-date": date }), 200);
  assert.is(await post("signed/new?a=1", { authorization, "x-aux-date": date }), 403);

  assert.is(await gateway.program.stop(), 0);
  const output = gateway.program.output();
  for (const secret of [...Object.values(secrets), client, token, refresh, "opaque"]) {
    assert.not(output.includes(secret), "no secret is logged");
  }
});

test.after(() => issuer.close());

test.run();
