// Users authorize clients: the real endpoints, tested with a client library that its maintainers test against others.

import { hash } from "node:crypto";
import * as client from "oauth4webapi";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { plainHttpServerInput } from "../../../runtime/connectors/http-server/input.ts";
import { hashPassword } from "../../../runtime/keys/argon.ts";
import { configuredKeys } from "../../../runtime/keys/configured-keys.ts";
import { passwordTest } from "../../../runtime/keys/passwords.ts";
import { authorizationEndpoint } from "../../../runtime/oauth/authorization-endpoint.ts";
import { deviceAuthorization } from "../../../runtime/oauth/device-authorization.ts";
import { memoryTokens } from "../../../runtime/oauth/memory-tokens.ts";
import { oauthServer } from "../../../runtime/oauth/oauth-server.ts";
import { accessRights } from "../../../runtime/protections/access-rights.ts";
import { accessToken } from "../../../runtime/protections/authentication/access-token.ts";
import { authentication } from "../../../runtime/protections/authentication/authentication.ts";
import { memoryOutput } from "../gateway/components.ts";
import { ordersApi, startGateway } from "../gateway/start-gateway.ts";

const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";
const redirectUri = "https://shop.example/cb?tenant=1";
const shop = { client_id: "shop", redirect_uri: redirectUri };
const secret = "the secret of the shop";

async function start() {
  const password = passwordTest(await hashPassword("correct horse"));
  const orders = ordersApi({
    intake: () => ({ input: plainHttpServerInput({ path: "/new" }), output: memoryOutput() }),
  });
  const protections = [
    authentication({
      methods: { token: accessToken({ header: "Authorization" }) },
      requirements: [{ token: [] }],
    }),
    accessRights(),
  ];
  const gateway = await startGateway([{ ...orders, protections: () => protections }], {
    parts: {
      keys: () =>
        configuredKeys({
          policies: [{ id: "gold", access_rights: { orders: {}, rooms: {} } }],
          keys: [
            { username: "ann", basic_auth_data: { password }, access_rights: { orders: {} } },
            { username: "bob", basic_auth_data: { password }, access_rights: { rooms: {} } },
            { username: "eve", basic_auth_data: { password }, is_inactive: true },
          ],
        }),
      oauth: () =>
        oauthServer({
          clients: [
            {
              ...shop,
              secret_hash: hash("sha256", secret, "hex"),
              policy_id: "gold",
              scopes: ["read", "write"],
              app_description: "Shop <b>&",
              device_authorization: true,
            },
            {
              client_id: "script",
              secret_hash: hash("sha256", secret, "hex"),
              policy_id: "gold",
              redirect_uris: ["javascript:alert(1)", "http://attacker.example/cb", "app.example:/cb"],
            },
          ],
          refresh_tokens: true,
          authorization_code: authorizationEndpoint,
          device_authorization: deviceAuthorization,
        }),
    },
  });
  const issuer = new URL(gateway.url);
  const options = { [client.allowInsecureRequests]: true };
  const found = await client.discoveryRequest(issuer, { algorithm: "oauth2", ...options });
  const server = await client.processDiscoveryResponse(issuer, found);
  const call = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${gateway.url}/orders/new`, { method: "POST", body: "a", headers });
    await response.arrayBuffer();
    return response.status;
  };
  return { gateway, server, options, call };
}

const { gateway, server, options, call } = await start();
const proof = client.ClientSecretBasic(secret);

/** Returns the address of the consent page. */
async function addressOf(verifier: string, more: Readonly<Record<string, string>> = {}): Promise<URL> {
  const url = new URL(server.authorization_endpoint ?? "");
  const parameters = {
    client_id: shop.client_id,
    redirect_uri: redirectUri,
    response_type: "code",
    scope: "read",
    state: "a state",
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    ...more,
  };
  for (const [name, value] of Object.entries(parameters)) if (value !== "") url.searchParams.set(name, value);
  return url;
}

/** Submits the form of the consent page. */
function decide(
  url: URL,
  form: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
) {
  const body = new URLSearchParams({ decision: "allow", password: "correct horse", ...form });
  return fetch(url, { method: "POST", body, redirect: "manual", headers });
}

/** Returns the address to which a decision redirects the browser. */
async function sentTo(answered: Promise<Response>): Promise<URL> {
  const { status, headers } = await answered;
  assert.is(status, 303);
  return new URL(headers.get("location") ?? "");
}

/** Authorizes as `username` and exchanges the code. Also returns the parameters of the exchange. */
async function authorize(username: string) {
  const verifier = client.generateRandomCodeVerifier();
  const back = await sentTo(decide(await addressOf(verifier), { username }));
  const parameters = client.validateAuthResponse(server, shop, back, "a state");
  const exchange = (by = verifier, to = redirectUri) =>
    client.authorizationCodeGrantRequest(server, shop, proof, parameters, to, by, options);
  return { back, exchange };
}

test("a user authorizes a client; its token opens what both may call, and each refresh token works once", async () => {
  const { back, exchange } = await authorize("ann");
  assert.is(back.searchParams.get("tenant"), "1");
  const tokens = await client.processAuthorizationCodeResponse(server, shop, await exchange());
  assert.is(tokens.scope, "read");
  assert.is(await call(tokens.access_token), 200);
  const asked = await client.introspectionRequest(server, shop, proof, tokens.access_token, options);
  const known = await client.processIntrospectionResponse(server, shop, asked);
  assert.equal([known.active, known.sub, known.client_id], [true, "ann", "shop"]);

  const refresh = (token: string) => client.refreshTokenGrantRequest(server, shop, proof, token, options);
  const first = tokens.refresh_token ?? "";
  const renewed = await client.processRefreshTokenResponse(server, shop, await refresh(first));
  assert.equal([await call(tokens.access_token), await call(renewed.access_token)], [403, 200]);
  assert.is((await refresh(first)).status, 400);
  assert.is(await call(renewed.access_token), 403);
  assert.is((await refresh(renewed.refresh_token ?? "")).status, 400);
});

test("a token never grants what its user may not call", async () => {
  const { exchange } = await authorize("bob");
  const tokens = await client.processAuthorizationCodeResponse(server, shop, await exchange());
  assert.is(await call(tokens.access_token), 403);
});

test("a code works once, with its redirect URI and verifier; reuse revokes its tokens", async () => {
  const twice = await authorize("ann");
  const tokens = await client.processAuthorizationCodeResponse(server, shop, await twice.exchange());
  assert.is(await call(tokens.access_token), 200);
  assert.is(Object(await (await twice.exchange()).json()).error, "invalid_grant");
  assert.is(await call(tokens.access_token), 403);

  const wrong = await authorize("ann");
  assert.is((await wrong.exchange(client.generateRandomCodeVerifier())).status, 400);
  assert.is((await wrong.exchange()).status, 400, "it was used up");
  assert.is((await (await authorize("ann")).exchange(undefined, "https://shop.example/cb")).status, 400);

  const code = (await authorize("ann")).back.searchParams.get("code") ?? "";
  const asked = await client.introspectionRequest(server, shop, proof, code, options);
  assert.is((await client.processIntrospectionResponse(server, shop, asked)).active, false);
  const refreshed = await client.refreshTokenGrantRequest(server, shop, proof, code, options);
  assert.is(refreshed.status, 400);
});

test("a request is never redirected to a URI that the client has not registered", async () => {
  const verifier = client.generateRandomCodeVerifier();
  const rows = [
    { redirect_uri: "https://shop.example/cb" },
    { redirect_uri: `${redirectUri}#` },
    { redirect_uri: `${redirectUri}/../x` },
    { redirect_uri: "https://attacker.example/" },
    { redirect_uri: "" },
    { client_id: "nobody" },
    { client_id: "script", redirect_uri: "javascript:alert(1)" },
    { client_id: "script", redirect_uri: "http://attacker.example/cb" },
  ] as const;
  for (const more of rows) {
    const response = await fetch(await addressOf(verifier, more), { redirect: "manual" });
    assert.equal([response.status, response.headers.get("location")], [400, null], JSON.stringify(more));
  }
  const repeated = await addressOf(verifier);
  repeated.searchParams.append("redirect_uri", "https://attacker.example/");
  assert.is((await fetch(repeated, { redirect: "manual" })).status, 400);
});

test("errors of a request are returned to the client's redirect URI", async () => {
  const verifier = client.generateRandomCodeVerifier();
  const rows = [
    [{ response_type: "token" }, "unsupported_response_type"],
    [{ response_type: "" }, "invalid_request"],
    [{ code_challenge: "" }, "invalid_request"],
    [{ code_challenge_method: "plain" }, "invalid_request"],
    [{ code_challenge_method: "" }, "invalid_request"],
    [{ scope: "read admin" }, "invalid_scope"],
  ] as const;
  for (const [more, error] of rows) {
    const back = await sentTo(fetch(await addressOf(verifier, more), { redirect: "manual" }));
    const { searchParams: query } = back;
    assert.is(back.origin, "https://shop.example");
    assert.equal([query.get("error"), query.get("state"), query.get("iss")], [error, "a state", gateway.url]);
  }
});

test("the consent page requires the user to authenticate each time, and escapes markup", async () => {
  const url = await addressOf(client.generateRandomCodeVerifier());
  const shown = await fetch(url);
  const html = await shown.text();
  assert.match(html, /Allow Shop &#60;b&#62;&#38;\?/);
  assert.not.match(html, /<b>|<script/);
  assert.match(
    shown.headers.get("content-security-policy") ?? "",
    /default-src 'none'.*frame-ancestors 'none'/,
  );
  for (const form of [{ username: "ann", password: "wrong" }, { username: "nobody" }, { username: "eve" }]) {
    const answered = await decide(url, form);
    assert.is(answered.status, 403);
    assert.match(await answered.text(), /The user name or the password is wrong/);
  }
  const denied = await sentTo(decide(url, { username: "ann", decision: "deny" }));
  assert.equal([denied.searchParams.get("error"), denied.searchParams.get("code")], ["access_denied", null]);
  assert.is((await decide(url, { username: "ann" }, { origin: "https://attacker.example" })).status, 403);
  assert.is((await decide(url, { username: "ann" }, { "sec-fetch-site": "cross-site" })).status, 403);
  assert.is((await decide(url, { username: "ann" }, { origin: gateway.url })).status, 303);
  assert.is((await fetch(url, { method: "DELETE" })).status, 405);
});

test("the server's metadata matches what it offers", async () => {
  assert.equal(
    [server.response_types_supported, server.grant_types_supported, server.code_challenge_methods_supported],
    [["code"], ["authorization_code", "client_credentials", "refresh_token", deviceGrant], ["S256"]],
  );
  assert.is(server.device_authorization_endpoint, `${gateway.url}/oauth/device_authorization`);
});

/** Requests a code for a device. */
async function askForDevice(scope = "read") {
  const asked = await client.deviceAuthorizationRequest(server, shop, proof, { scope }, options);
  const codes = await client.processDeviceAuthorizationResponse(server, shop, asked);
  const exchange = () => client.deviceCodeGrantRequest(server, shop, proof, codes.device_code, options);
  /** Returns the error code with which the token endpoint responds to the device. */
  const poll = async () => String(Object(await (await exchange()).json()).error);
  return { ...codes, url: new URL(codes.verification_uri_complete ?? ""), exchange, poll };
}

test("a user allows a waiting device by the code that the device shows", async () => {
  const device = await askForDevice();
  assert.match(device.user_code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
  assert.equal([device.verification_uri, device.interval], [`${gateway.url}/oauth/device`, 5]);
  assert.equal([await device.poll(), await device.poll()], ["authorization_pending", "slow_down"]);

  const typed = new URL(device.verification_uri);
  typed.searchParams.set("user_code", ` ${device.user_code.toLowerCase().replace("-", " ")}`);
  const html = await (await fetch(typed)).text();
  assert.match(html, /Allow Shop &#60;b&#62;&#38;\?/);
  assert.match(html, /<li>read<\/li>/);
  assert.is((await decide(device.url, { username: "ann", password: "wrong" })).status, 403);
  assert.is(
    (await decide(device.url, { username: "ann" }, { origin: "https://attacker.example" })).status,
    403,
  );
  assert.match(await (await decide(device.url, { username: "ann" })).text(), /Access was granted/);
  assert.is((await decide(device.url, { username: "bob" })).status, 404, "the first decision counts");

  const exchanged = await device.exchange();
  const tokens = await client.processDeviceCodeResponse(server, shop, exchanged);
  assert.equal([tokens.scope, await call(tokens.access_token)], ["read", 200]);
  const known = await client.introspectionRequest(server, shop, proof, tokens.access_token, options);
  assert.is((await client.processIntrospectionResponse(server, shop, known)).sub, "ann");
  assert.equal(
    [await device.poll(), await call(tokens.access_token)],
    ["invalid_grant", 403],
    "it came twice",
  );
});

test("a device that a user denies gets no token, and its codes work nowhere else", async () => {
  const device = await askForDevice("");
  const { access_token: _, ...refused } = Object(
    await (await client.refreshTokenGrantRequest(server, shop, proof, device.device_code, options)).json(),
  );
  assert.is(refused.error, "invalid_grant");
  const asked = await client.introspectionRequest(server, shop, proof, device.device_code, options);
  assert.is((await client.processIntrospectionResponse(server, shop, asked)).active, false);
  assert.is(await device.poll(), "authorization_pending");
  assert.match(await (await decide(device.url, { decision: "deny" })).text(), /Access was denied/);
  assert.is(await device.poll(), "access_denied");
});

test("only clients with the device grant get codes, and codes are bound to their clients", async () => {
  const script = { client_id: "script" };
  const refused = await client.deviceAuthorizationRequest(server, script, proof, {}, options);
  assert.equal([refused.status, Object(await refused.json()).error], [400, "unauthorized_client"]);
  const wide = await client.deviceAuthorizationRequest(server, shop, proof, { scope: "admin" }, options);
  assert.is(Object(await wide.json()).error, "invalid_scope");
  const device = await askForDevice();
  const stolen = await client.deviceCodeGrantRequest(server, script, proof, device.device_code, options);
  assert.is(Object(await stolen.json()).error, "invalid_grant");
  assert.is(await device.poll(), "authorization_pending");
});

test("a device receives expired_token after its time", async () => {
  const grant = { client: "shop", scopes: [], family: "f", issued: 0, expires: 1 };
  const tokens = memoryTokens();
  const device = { stage: "pending", until: Date.now() } as const;
  const devices = deviceAuthorization({ ...tokens, findRefresh: async () => ({ ...grant, device }) });
  const asking = { ...shop, secret_hash: "", policy_id: "" };
  const refused = await devices.exchange(asking, new Map([["device_code", "a"]]));
  assert.is("name" in refused && refused.name, "expired_token");
});

test("device codes cannot be guessed: an address is limited to 20 attempts", async () => {
  const device = await askForDevice();
  const page = new URL(device.verification_uri);
  const tried: number[] = [];
  for (let guess = 0; guess < 22; guess += 1) {
    page.searchParams.set("user_code", `BBBB-BBB${"BCDFGHJKLMNPQRSTVWXZ".at(guess % 20)}`);
    tried.push((await fetch(page)).status);
  }
  assert.equal([...new Set(tried)], [404, 429]);
  const waits = await fetch(device.url);
  assert.is(waits.status, 429, "with the right one neither");
  assert.ok(Number(waits.headers.get("retry-after")) > 60);
  await gateway.close();
});

test.run();
