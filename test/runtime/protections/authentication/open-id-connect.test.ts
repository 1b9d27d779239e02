import { test } from "uvu";
import * as assert from "uvu/assert";
import { GatewayScope } from "../../../../runtime/component/gateway-scope.ts";
import { GatewayError } from "../../../../runtime/errors.ts";
import type { Call } from "../../../../runtime/http/call.ts";
import { createLogger } from "../../../../runtime/process/log.ts";
import { openIdConnect } from "../../../../runtime/protections/authentication/open-id-connect.ts";
import { until } from "../../../harness/wait.ts";
import { guardedBy, refusals } from "./guarded-by.ts";
import { createSigner, type Issuer, type Signer, startIssuer } from "./signers.ts";

const path = "/realm/.well-known/openid-configuration";
const [signer, other] = await Promise.all([createSigner("RS256", "one"), createSigner("RS256", "two")]);

async function start(more: Readonly<Record<string, unknown>> = {}): Promise<Issuer> {
  const issuer = await startIssuer();
  issuer.replies.set(path, {
    body: { issuer: `${issuer.url}/realm`, jwks_uri: `${issuer.url}/keys`, ...more },
  });
  issuer.replies.set("/keys", { body: { keys: [signer.jwk] } });
  return issuer;
}

function asking(issuer: Issuer, audience?: string) {
  const audiences = audience === undefined ? {} : { allowedAudiences: [audience] };
  return openIdConnect({ header: "Authorization", url: `${issuer.url}${path}`, ...audiences });
}

test("tokens of a discovered issuer are accepted, and its metadata is fetched once", async () => {
  const issuer = await start();
  const gateway = await guardedBy(asking(issuer, "orders"));
  const claims = { iss: `${issuer.url}/realm`, aud: "orders", sub: "ada" };
  const tokens = await Promise.all(Array.from({ length: 10 }, () => signer.sign(claims)));
  const answers = await Promise.all(tokens.map((token) => gateway.bear(token)));
  assert.ok(answers.every(([status]) => status === 200));
  assert.is(issuer.count(path), 1);
  assert.is(issuer.count("/keys"), 1);
  const bad = [
    { ...claims, iss: "https://elsewhere.example" },
    { ...claims, iss: `${issuer.url}/realm/` },
    { ...claims, iss: undefined },
    { ...claims, aud: "invoices" },
  ];
  for (const each of bad) assert.equal(await gateway.bear(await signer.sign(each)), refusals.disallowed);
  assert.equal(await gateway.bear(await other.sign(claims)), refusals.disallowed);
  await gateway.close();
  await issuer.close();
});

test("with metadata of another issuer, or invalid metadata, tokens are rejected", async () => {
  const wrong: readonly Readonly<Record<string, unknown>>[] = [
    { issuer: "https://elsewhere.example" },
    { issuer: undefined },
    { jwks_uri: undefined },
    { jwks_uri: "file:///etc/keys" },
    { jwks_uri: 7 },
  ];
  for (const more of wrong) {
    const issuer = await start(more);
    const gateway = await guardedBy(asking(issuer));
    const iss = more.issuer ?? `${issuer.url}/realm`;
    assert.equal(
      await gateway.bear(await signer.sign({ iss, sub: "ada" })),
      refusals.unknowable,
      JSON.stringify(more),
    );
    await gateway.close();
    await issuer.close();
  }
  const issuer = await start();
  issuer.replies.delete(path);
  const gateway = await guardedBy(asking(issuer));
  assert.equal(await gateway.bear(await signer.sign({ sub: "ada" })), refusals.unknowable);
  assert.equal(gateway.received, []);
  await gateway.close();
  await issuer.close();
});

test("a token whose key is gone is refused, even if the keys return to a former address", async () => {
  const issuer = await start();
  const claims = { iss: `${issuer.url}/realm`, sub: "ada" };
  const [first, second] = [await signer.sign(claims), await other.sign(claims)];
  let now = 0;
  const context = {
    api: "orders",
    gateway: new GatewayScope(),
    maxBodyBytes: 1000,
    log: createLogger("silent"),
    signal: new AbortController().signal,
    now: () => now,
  };
  const { authenticate } = await asking(issuer).start(context);
  const isAccepted = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const request = { headers, rawHeaders: Object.entries(headers).flat() };
    return !((await authenticate({ request } as Call)) instanceof GatewayError);
  };
  const move = async (keysPath: string, key: Signer, former: string) => {
    issuer.replies.set(path, { body: { issuer: claims.iss, jwks_uri: issuer.url + keysPath } });
    issuer.replies.set(keysPath, { body: { keys: [key.jwk] } });
    now += 3_600_000;
    const asked = issuer.count(keysPath);
    // The document is read while the former one serves.
    await until(async () => {
      await isAccepted(former);
      return issuer.count(keysPath) > asked;
    });
  };
  assert.ok(await isAccepted(first));
  await move("/moved", other, first);
  assert.ok(await isAccepted(second));
  await move("/keys", other, second);
  assert.ok(await isAccepted(second));
  assert.not(await isAccepted(first));
  await issuer.close();
});

test.run();
