import { test } from "uvu";
import * as assert from "uvu/assert";
import { openIdConnect } from "../../../../runtime/protections/authentication/open-id-connect.ts";
import { guardedBy, refusals } from "./guarded-by.ts";
import { createSigner, type Issuer, startIssuer } from "./signers.ts";

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

test.run();
