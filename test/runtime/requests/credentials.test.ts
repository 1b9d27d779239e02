import { generateKeyPairSync, verify } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { http } from "../../../runtime/processors/http.ts";
import { basicCredentials } from "../../../runtime/requests/basic-credentials.ts";
import { clientCredentials } from "../../../runtime/requests/client-credentials.ts";
import { authorization, oauthSignature } from "../../../runtime/requests/oauth.ts";
import type { Credentials, OutgoingRequest } from "../../../runtime/requests/request.ts";
import { signedToken } from "../../../runtime/requests/signed-token.ts";
import { temporaryDirectory } from "../../harness/directories.ts";
import { httpServer, type ReceivedRequest, type Reply } from "../../harness/http-server.ts";
import { batchOf, componentContext } from "../connectors/contexts.ts";

const test = suite("credentials of requests");

function request(verb: string, url: string, more: Partial<OutgoingRequest> = {}): OutgoingRequest {
  return { verb, url: new URL(url), headers: new Map(), body: undefined, ...more };
}

const noSend = () => Promise.reject(new Error("nothing is sent"));

async function headerOf(
  credentials: Credentials | undefined,
  outgoing = request("GET", "http://a.example/"),
) {
  await credentials?.apply(outgoing, noSend);
  return outgoing.headers.get("authorization") ?? "";
}

test("disabled blocks yield no credentials", () => {
  assert.is(basicCredentials({ username: "a" }), undefined);
  assert.is(signedToken({ enabled: false }), undefined);
  assert.is(oauthSignature({}), undefined);
  assert.is(clientCredentials({ token_url: "http://a.example/" }), undefined);
});

test("basic_auth sends user and password", async () => {
  const value = await headerOf(basicCredentials({ enabled: true, username: "u", password: "pä:ss" }));
  assert.is(value, `Basic ${Buffer.from("u:pä:ss").toString("base64")}`);
});

test("oauth signs as in the example of RFC 5849", () => {
  const moment = { timestamp: 137131202, nonce: "chapoH" };
  const header = authorization(
    request("GET", "http://photos.example.net/photos?file=vacation.jpg&size=original"),
    {
      consumer_key: "dpf43f3p2l4k3l03",
      consumer_secret: "kd94hf93k423kf44",
      access_token: "nnch734d00sl2jdk",
      access_token_secret: "pfkkdhi9sl3r4s00",
    },
    moment,
  );
  assert.match(header, /^OAuth oauth_consumer_key="dpf43f3p2l4k3l03", /);
  assert.match(header, 'oauth_signature="MdpQcU8iPSUjWoN%2FUDMsK2sui9I%3D"');
});

test("oauth signs form fields, and escapes as the standard does", () => {
  const block = { consumer_key: "key", consumer_secret: "s&", access_token_secret: "t*" };
  const moment = { timestamp: 1, nonce: "n" };
  const signatureOf = (url: string, body: string) =>
    authorization(
      request("POST", url, {
        headers: new Map([["content-type", "application/x-www-form-urlencoded"]]),
        body: Buffer.from(body),
      }),
      block,
      moment,
    );
  // It makes no difference whether a parameter is in the URL or elsewhere, nor in which order parameters are.
  assert.is(signatureOf("http://a.example/p?b=2", "a=1"), signatureOf("http://a.example:80/p?a=1", "b=2"));
  assert.is.not(signatureOf("http://a.example/p", "a=1"), signatureOf("http://a.example/p", "a=2"));
  assert.not.match(signatureOf("http://a.example/p", ""), "oauth_token=");
});

test("oauth never repeats a nonce", async () => {
  const credentials = oauthSignature({ enabled: true, consumer_key: "k", consumer_secret: "s" });
  assert.is.not(await headerOf(credentials), await headerOf(credentials));
});

const keys = {
  rsa: generateKeyPairSync("rsa", { modulusLength: 2048 }),
  ed25519: generateKeyPairSync("ed25519"),
};

function keyFile(kind: keyof typeof keys): string {
  const path = join(temporaryDirectory("keys"), "key.pem");
  writeFileSync(path, keys[kind].privateKey.export({ type: "pkcs8", format: "pem" }));
  return path;
}

const digests = { RS256: "sha256", RS384: "sha384", RS512: "sha512", EdDSA: undefined } as const;

for (const [method, digest] of Object.entries(digests)) {
  test(`jwt signed by ${method} verifies with the public key`, async () => {
    const kind = method === "EdDSA" ? "ed25519" : "rsa";
    const value = await headerOf(
      signedToken({
        enabled: true,
        private_key_file: keyFile(kind),
        signing_method: method,
        claims: { iss: "orders", aud: ["a", "b"] },
        headers: { kid: "k1" },
      }),
    );
    const [head = "", claims = "", signature = ""] = value.replace("Bearer ", "").split(".");
    const decode = (text: string) => JSON.parse(Buffer.from(text, "base64url").toString());
    assert.equal(decode(head), { alg: method, kid: "k1", typ: "JWT" });
    assert.equal(decode(claims), { iss: "orders", aud: ["a", "b"] });
    const content = Buffer.from(`${head}.${claims}`);
    const { publicKey } = keys[kind];
    assert.ok(verify(digest, content, publicKey, Buffer.from(signature, "base64url")));
  });
}

test("jwt reports what is wrong with its key, without quoting it", () => {
  const file = join(temporaryDirectory("keys"), "broken.pem");
  writeFileSync(file, "a secret that is no key");
  for (const [block, reason] of [
    [{ private_key_file: file, signing_method: "RS256" }, /holds no key in PEM/],
    [{ private_key_file: "/nowhere", signing_method: "RS256" }, /cannot be read/],
    [{ private_key_file: keyFile("rsa"), signing_method: "EdDSA" }, /is not one for EdDSA/],
    [{ private_key_file: keyFile("rsa"), signing_method: "none" }, /must be one of RS256/],
  ] as const) {
    const credentials = signedToken({ enabled: true, ...block });
    try {
      credentials?.apply(request("GET", "http://a.example/"), noSend);
      assert.unreachable();
    } catch (error) {
      assert.match(String(error), reason);
      assert.not.match(String(error), "a secret");
    }
  }
});

/** Starts a server that issues tokens at `/token` and accepts only the latest one elsewhere. */
async function guardedServer(answer: (request: ReceivedRequest, count: number) => Reply) {
  let count = 0;
  return httpServer((received) => {
    if (received.path !== "/token") {
      return { status: received.headers.authorization === `Bearer t${count}` ? 200 : 401 };
    }
    count += 1;
    return answer(received, count);
  });
}

function oauth2Of(url: string, more: object = {}) {
  return clientCredentials({
    enabled: true,
    client_key: "client",
    client_secret: "se cret",
    token_url: `${url}/token`,
    scopes: ["read", "write"],
    endpoint_params: { audience: ["orders"] },
    ...more,
  });
}

test("oauth2 fetches one token for all requests, with the configured parameters", async () => {
  const server = await guardedServer((_, count) => ({
    body: { access_token: `t${count}`, expires_in: 3600 },
  }));
  const step = http({ url: server.url, retries: 0, parallel: true, oauth2: oauth2Of(server.url) });
  const [batch] = await step.process(batchOf("1", "2", "3"), componentContext());
  assert.equal(
    batch?.map(({ failure }) => failure),
    [undefined, undefined, undefined],
  );
  const asked = server.requests.filter(({ path }) => path === "/token");
  assert.is(asked.length, 1);
  assert.is(asked[0]?.headers.authorization, `Basic ${Buffer.from("client:se+cret").toString("base64")}`);
  assert.equal(Object.fromEntries(new URLSearchParams(asked[0]?.body)), {
    grant_type: "client_credentials",
    scope: "read write",
    audience: "orders",
  });
  await server.close();
});

test("oauth2 fetches a new token when the old one expires or is rejected", async () => {
  const lifetimes = [0.001, 3600, 3600];
  const server = await guardedServer((_, count) => ({
    body: { access_token: `t${count}`, expires_in: lifetimes.shift() ?? 3600 },
  }));
  const step = http({ url: server.url, retries: 0, oauth2: oauth2Of(server.url) });
  const failureOf = async () => (await step.process(batchOf("1"), componentContext()))[0]?.[0]?.failure;
  assert.is(await failureOf(), undefined);
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.is(await failureOf(), undefined);
  assert.is(server.requests.filter(({ path }) => path === "/token").length, 2);
  // Another client requests a token, so the server now accepts a different one.
  await fetch(`${server.url}/token`, { method: "POST" });
  assert.is(await failureOf(), undefined);
  assert.is(server.requests.filter(({ path }) => path === "/token").length, 4);
  await server.close();
});

test("oauth2 sends id and secret in the form if the header is rejected", async () => {
  const server = await guardedServer((received, count) => {
    if (received.headers.authorization !== undefined) return { status: 401 };
    const { client_id, client_secret } = Object.fromEntries(new URLSearchParams(received.body));
    return client_id === "client" && client_secret === "se cret"
      ? { body: { access_token: `t${count}` } }
      : { status: 400 };
  });
  const step = http({ url: server.url, retries: 0, oauth2: oauth2Of(server.url) });
  const [batch] = await step.process(batchOf("1"), componentContext());
  assert.is(batch?.[0]?.failure, undefined);
  await server.close();
});

test("oauth2 failures name the reason, without secrets, and are retried", async () => {
  const answers: Reply[] = [
    { status: 500 },
    { body: "secret" },
    { body: { access_token: "t".repeat(1_000_000) } },
    { body: { access_token: "t4" } },
  ];
  const server = await guardedServer(() => answers.shift() ?? {});
  const messages: (string | undefined)[] = [];
  const step = http({ url: server.url, retries: 0, oauth2: oauth2Of(server.url) });
  for (const _ of [1, 2, 3, 4]) {
    const [batch] = await step.process(batchOf("1"), componentContext());
    messages.push(batch?.[0]?.failure?.message);
  }
  assert.equal(messages, [
    "The OAuth 2 token endpoint answered with status 500",
    "The OAuth 2 token endpoint answered without an `access_token`",
    "The answer of the OAuth 2 token endpoint is longer than 262144 bytes",
    undefined,
  ]);
  await server.close();
});

test.run();
