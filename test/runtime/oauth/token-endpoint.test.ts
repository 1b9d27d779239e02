import { test } from "uvu";
import * as assert from "uvu/assert";
import { GatewayError } from "../../../runtime/errors.ts";
import type { ClientStore } from "../../../runtime/oauth/clients.ts";
import { memoryTokens } from "../../../runtime/oauth/memory-tokens.ts";
import { EnvironmentError } from "../../../runtime/process/environment.ts";
import { basic, readAnswer, secrets, serveOauth, shop, till } from "./served.ts";

const credentials = { grant_type: "client_credentials" };

test("a client gets a valid token, with its scopes or fewer", async () => {
  const oauth = await serveOauth({ access_token_lifetime: 60_000 });
  const { status, headers, body } = await oauth.ask("token", credentials);
  assert.is(status, 200);
  assert.is(headers.get("cache-control"), "no-store");
  assert.is(headers.get("pragma"), "no-cache");
  const { access_token: token, ...rest } = body;
  assert.match(String(token), /^[\w-]{43}$/);
  assert.equal(rest, { token_type: "Bearer", expires_in: 60, scope: "orders:read orders:write" });
  const known = await oauth.server.findToken(String(token));
  assert.is(known?.client.client_id, "shop 1");
  assert.equal(known?.grant.scopes, ["orders:read", "orders:write"]);
  assert.is(await oauth.server.findToken(`${token}x`), undefined);
  const narrow = await oauth.ask("token", { ...credentials, scope: "orders:read orders:read" });
  assert.is(narrow.body.scope, "orders:read");
  const wide = await oauth.ask("token", { ...credentials, scope: "orders:read admin" });
  assert.equal([wide.status, wide.body.error], [400, "invalid_scope"]);
  const without = await oauth.ask("token", credentials, till, secrets.till);
  assert.is(without.body.scope, undefined);
  await oauth.close();
});

test("the server publishes its metadata, under the address of the request", async () => {
  const oauth = await serveOauth({ refresh_tokens: true });
  const address = `${oauth.url}/.well-known/oauth-authorization-server`;
  const { status, body } = await readAnswer(await fetch(address));
  assert.is(status, 200);
  const methods = ["client_secret_basic", "client_secret_post"];
  assert.equal(body, {
    issuer: oauth.url,
    token_endpoint: `${oauth.url}/oauth/token`,
    revocation_endpoint: `${oauth.url}/oauth/revoke`,
    introspection_endpoint: `${oauth.url}/oauth/introspect`,
    response_types_supported: [],
    grant_types_supported: ["client_credentials", "refresh_token"],
    token_endpoint_auth_methods_supported: methods,
    revocation_endpoint_auth_methods_supported: methods,
    introspection_endpoint_auth_methods_supported: methods,
  });
  assert.is((await fetch(address, { method: "POST" })).status, 405);
  assert.is((await fetch(`${address}/more`)).status, 404);
  const head = await fetch(address, { method: "HEAD" });
  assert.equal([head.status, await head.text()], [200, ""]);
  await oauth.close();
});

test("credentials are accepted in the header or in the form, and nowhere else", async () => {
  const oauth = await serveOauth();
  const post = async (path: string, body: string, headers: Readonly<Record<string, string>> = {}) =>
    readAnswer(
      await fetch(`${oauth.url}${path}`, {
        method: "POST",
        body,
        headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
      }),
    );
  const own = new URLSearchParams({
    ...credentials,
    client_id: "till",
    client_secret: secrets.till,
  }).toString();
  const asked = "grant_type=client_credentials";
  const right = basic("till", secrets.till);
  const rows: readonly [string, Parameters<typeof post>, number, string | undefined][] = [
    ["form", ["/oauth/token", own], 200, undefined],
    ["header", ["/oauth/token", asked, { authorization: right }], 200, undefined],
    [
      "header and name",
      ["/oauth/token", `${asked}&client_id=till`, { authorization: right }],
      200,
      undefined,
    ],
    [
      "header and other name",
      ["/oauth/token", `${asked}&client_id=shop`, { authorization: right }],
      401,
      "invalid_client",
    ],
    ["both", ["/oauth/token", own, { authorization: right }], 400, "invalid_request"],
    ["address", [`/oauth/token?${own}`, asked], 401, "invalid_client"],
    ["nothing", ["/oauth/token", asked], 401, "invalid_client"],
    ["name only", ["/oauth/token", `${asked}&client_id=till`], 401, "invalid_client"],
    ["empty secret", ["/oauth/token", `${asked}&client_id=till&client_secret=`], 401, "invalid_client"],
    ["bearer", ["/oauth/token", asked, { authorization: "Bearer x" }], 401, "invalid_client"],
    ["no colon", ["/oauth/token", asked, { authorization: "Basic dGlsbA==" }], 401, "invalid_client"],
    [
      "broken escape",
      ["/oauth/token", asked, { authorization: `Basic ${btoa("till:%")}` }],
      401,
      "invalid_client",
    ],
    ["wrong secret", ["/oauth/token", asked, { authorization: basic("till", "x") }], 401, "invalid_client"],
    [
      "hash as secret",
      ["/oauth/token", asked, { authorization: basic("till", till.secret_hash) }],
      401,
      "invalid_client",
    ],
    ["unknown", ["/oauth/token", asked, { authorization: basic("__proto__", "x") }], 401, "invalid_client"],
    ["twice", ["/oauth/token", `${own}&client_id=shop`], 400, "invalid_request"],
    ["grant twice", ["/oauth/token", `${own}&grant_type=refresh_token`], 400, "invalid_request"],
    ["no grant", ["/oauth/token", own.replace(asked, "a=1")], 400, "invalid_request"],
    [
      "password",
      ["/oauth/token", own.replace("client_credentials", "password")],
      400,
      "unsupported_grant_type",
    ],
    ["JSON", ["/oauth/token", "{}", { "content-type": "application/json" }], 415, "invalid_request"],
    ["no type", ["/oauth/token", own, { "content-type": "" }], 415, "invalid_request"],
    ["too long", ["/oauth/token", `${own}&padding=${"x".repeat(20_000)}`], 413, "invalid_request"],
  ];
  for (const [name, request, status, error] of rows) {
    const answer = await post(...request);
    assert.equal([answer.status, answer.body.error], [status, error], name);
    if (status === 401) assert.match(answer.headers.get("www-authenticate") ?? "", /^Basic realm=/);
    if (status !== 200) assert.not(answer.body.access_token, name);
  }
  for (const method of ["GET", "PUT", "DELETE", "OPTIONS"]) {
    const refused = await fetch(`${oauth.url}/oauth/token?${own}`, { method });
    assert.equal([refused.status, refused.headers.get("allow")], [405, "POST"]);
  }
  await oauth.close();
});

test("an inactive client gets no token, and its tokens become invalid", async () => {
  const clients = [{ ...till }, shop];
  const store = memoryTokens();
  const oauth = await serveOauth({ clients }, store);
  const { body } = await oauth.ask("token", credentials, till, secrets.till);
  const asleep = await serveOauth({ clients: [{ ...till, is_inactive: true }, shop] }, store);
  assert.is(await asleep.server.findToken(String(body.access_token)), undefined);
  assert.is((await asleep.ask("token", credentials, till, secrets.till)).status, 401);
  const gone = await serveOauth({ clients: [shop] }, store);
  assert.is(await gone.server.findToken(String(body.access_token)), undefined);
  for (const each of [oauth, asleep, gone]) await each.close();
});

test("a client has at most as many tokens as its limit", async () => {
  const oauth = await serveOauth({ clients: [{ ...till, oauth_usage_limit: 2 }] });
  const ask = () => oauth.ask("token", credentials, till, secrets.till);
  const first = await ask();
  assert.is((await ask()).status, 200);
  const refused = await ask();
  assert.equal([refused.status, refused.body.error], [429, "temporarily_unavailable"]);
  assert.ok(Number(refused.headers.get("retry-after")) > 0);
  await oauth.ask("revoke", { token: String(first.body.access_token) }, till, secrets.till);
  assert.is((await ask()).status, 200);
  await oauth.close();
});

test("a refresh token works once, for its client; reuse revokes its family", async () => {
  const oauth = await serveOauth({ refresh_tokens: true });
  const { body: first } = await oauth.ask("token", credentials);
  const form = { grant_type: "refresh_token", refresh_token: String(first.refresh_token) };
  const stolen = await oauth.ask("token", form, till, secrets.till);
  assert.equal([stolen.status, stolen.body.error], [400, "invalid_grant"]);
  const wide = await oauth.ask("token", { ...form, scope: "admin" });
  assert.is(wide.body.error, "invalid_scope");
  await oauth.close();

  const again = await serveOauth({ refresh_tokens: true });
  const { body: start } = await again.ask("token", { ...credentials, scope: "orders:read" });
  const use = (token: unknown) =>
    again.ask("token", { grant_type: "refresh_token", refresh_token: String(token) });
  const { body: second } = await use(start.refresh_token);
  assert.is(second.scope, "orders:read");
  assert.is(await again.server.findToken(String(start.access_token)), undefined);
  assert.ok(await again.server.findToken(String(second.access_token)));
  assert.is((await use(start.refresh_token)).body.error, "invalid_grant");
  assert.is(await again.server.findToken(String(second.access_token)), undefined);
  assert.is((await use(second.refresh_token)).body.error, "invalid_grant");
  assert.is((await use("unknown")).body.error, "invalid_grant");
  assert.is((await use(start.access_token)).body.error, "invalid_grant");
  assert.is((await use("")).body.error, "invalid_request");
  await again.close();
});

test("a refresh token keeps its scope while its client may have it", async () => {
  const records = new Map([[shop.client_id, shop]]);
  const clients: ClientStore = { findClient: (id) => records.get(id) };
  const oauth = await serveOauth({ refresh_tokens: true }, undefined, clients);
  const renew = (token: unknown, scope?: string) =>
    oauth.ask("token", {
      ...{ grant_type: "refresh_token", refresh_token: String(token) },
      ...(scope !== undefined && { scope }),
    });
  const { body: first } = await oauth.ask("token", credentials);
  assert.is((await renew(first.refresh_token, "admin")).body.error, "invalid_scope");
  const { body: narrow } = await renew(first.refresh_token, "orders:read");
  assert.is(narrow.scope, "orders:read", "what asked for too much did not use it up");
  const { body: whole } = await renew(narrow.refresh_token);
  assert.is(whole.scope, "orders:read orders:write");
  records.set(shop.client_id, { ...shop, scopes: ["orders:read"] });
  const known = await oauth.server.findToken(String(whole.access_token));
  assert.equal(known?.grant.scopes, ["orders:read"], "nor does a token bring what was taken from its client");
  assert.is((await oauth.ask("introspect", { token: String(whole.access_token) })).body.scope, "orders:read");
  assert.is((await renew(whole.refresh_token)).body.scope, "orders:read");
  await oauth.close();
});

test("without refresh tokens none are issued", async () => {
  const oauth = await serveOauth();
  const { body } = await oauth.ask("token", credentials);
  assert.is(body.refresh_token, undefined);
  await oauth.close();
});

test("a token is revoked by its client only, and the response reveals nothing more", async () => {
  const oauth = await serveOauth({ refresh_tokens: true });
  const { body } = await oauth.ask("token", credentials);
  const [token, refresh] = [String(body.access_token), String(body.refresh_token)];
  const byOther = await oauth.ask("revoke", { token }, till, secrets.till);
  assert.equal([byOther.status, byOther.body], [200, {}]);
  assert.ok(await oauth.server.findToken(token));
  assert.is((await oauth.ask("revoke", { token: "unknown" })).status, 200);
  assert.is((await oauth.ask("revoke", {})).body.error, "invalid_request");
  assert.is((await oauth.ask("revoke", { token, token_type_hint: "refresh_token" })).status, 200);
  assert.is(await oauth.server.findToken(token), undefined);
  const { body: next } = await oauth.ask("token", { grant_type: "refresh_token", refresh_token: refresh });
  await oauth.ask("revoke", { token: String(next.refresh_token) });
  assert.is(await oauth.server.findToken(String(next.access_token)), undefined);
  await oauth.close();
});

test("introspection answers the token's client, and clients that may introspect all", async () => {
  const clients = [shop, till, { ...till, client_id: "api", may_introspect: true }];
  const oauth = await serveOauth({ clients, refresh_tokens: true });
  const { body } = await oauth.ask("token", credentials);
  const token = String(body.access_token);
  const own = await oauth.ask("introspect", { token });
  const { iat, exp, ...said } = own.body;
  assert.equal(said, {
    active: true,
    client_id: "shop 1",
    sub: "shop 1",
    scope: "orders:read orders:write",
    token_type: "Bearer",
  });
  assert.is(Number(exp) - Number(iat), 3600);
  assert.equal((await oauth.ask("introspect", { token }, till, secrets.till)).body, { active: false });
  const api = { ...till, client_id: "api" };
  assert.is((await oauth.ask("introspect", { token }, api, secrets.till)).body.active, true);
  assert.is((await oauth.ask("introspect", { token: String(body.refresh_token) })).body.active, true);
  assert.equal((await oauth.ask("introspect", { token: "unknown" })).body, { active: false });
  assert.is((await oauth.ask("introspect", { token }, shop, "wrong")).status, 401);
  await oauth.close();
});

test("tokens have the configured lifetimes", async () => {
  const oauth = await serveOauth({
    access_token_lifetime: 60_000,
    refresh_tokens: true,
    refresh_token_lifetime: 120_000,
  });
  const { body } = await oauth.ask("token", credentials);
  assert.is(body.expires_in, 60);
  const lifetimes = await Promise.all(
    [body.access_token, body.refresh_token].map(async (token) => {
      const { exp, iat } = (await oauth.ask("introspect", { token: String(token) })).body;
      return Number(exp) - Number(iat);
    }),
  );
  assert.equal(lifetimes, [60, 120]);
  await oauth.close();
});

test("if the token store is unavailable, nothing is revealed and no token is valid", async () => {
  const away = async () => Promise.reject(new GatewayError(503, "Credentials cannot be checked now"));
  const store = { ...memoryTokens(), issue: away, findAccess: away };
  const oauth = await serveOauth({}, store);
  assert.equal(await oauth.ask("token", credentials).then(({ status, body }) => [status, body]), [
    503,
    { error: "Credentials cannot be checked now" },
  ]);
  assert.is((await oauth.ask("introspect", { token: "a" })).status, 503);
  const failed: unknown = await oauth.server.findToken("a").catch((error: unknown) => error);
  assert.instance(failed, GatewayError);
  await oauth.close();
});

test("several workers, each with its own token memory, do not start", async () => {
  const variables = { GW_WORKER: "1", GW_WORKER_SOCKET: "socket" };
  Object.assign(process.env, variables);
  const failed: unknown = await serveOauth().catch((error: unknown) => error);
  const shared = await serveOauth({}, memoryTokens());
  for (const name of Object.keys(variables)) delete process.env[name];
  assert.instance(failed, EnvironmentError);
  await shared.close();
});

test.run();
