import { createHmac } from "node:crypto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { hashKey } from "../../../../runtime/keys/key-hash.ts";
import { EnvironmentError } from "../../../../runtime/process/environment.ts";
import { authToken } from "../../../../runtime/protections/authentication/auth-token.ts";
import {
  type SignedRequestsOptions,
  signedRequests,
} from "../../../../runtime/protections/authentication/signed-requests.ts";
import { guardedBy, refusals } from "./guarded-by.ts";

const secret = "shared by both";
const keys = [
  { key_hash: hashKey("till"), hmac_secret: secret, apply_policies: ["gold"] },
  { key_hash: hashKey("invoices"), hmac_secret: secret, apply_policies: ["elsewhere"] },
  { key_hash: hashKey("asleep"), hmac_secret: secret, hmac_enabled: false, apply_policies: ["gold"] },
  { key_hash: hashKey("unsigned"), apply_policies: ["gold"] },
];

function signed(keyId: string, { key = secret, algorithm = "sha256", date = new Date().toUTCString() } = {}) {
  const text = `(request-target): post /orders/new\nx-aux-date: ${date}`;
  const signature = createHmac(algorithm, key).update(text).digest("base64");
  const authorization = `Signature keyId="${keyId}",algorithm="hmac-${algorithm}",headers="(request-target) x-aux-date",signature="${signature}"`;
  return { authorization, "x-aux-date": date };
}

function start(options: Partial<SignedRequestsOptions> = {}) {
  return guardedBy(signedRequests({ header: "Authorization", ...options }), [], keys);
}

test("a request signed with the secret of its key is authenticated as that key", async () => {
  const gateway = await start();
  assert.is((await gateway.ask(signed("till")))[0], 200);
  assert.equal(await gateway.ask(signed("invoices")), refusals.disallowed);
  assert.equal(await gateway.ask(), refusals.missing);
  assert.equal(await gateway.ask({ authorization: "Bearer till" }), refusals.missing);
  const bad = [
    signed("till", { key: "guess" }),
    signed("till", { key: "" }),
    signed("asleep"),
    signed("unsigned"),
    signed("unsigned", { key: "" }),
    signed("unknown"),
    signed("__proto__"),
    signed("till", { algorithm: "sha1" }),
    signed("till", { date: new Date(Date.now() - 90_000).toUTCString() }),
    { ...signed("till"), "x-aux-date": new Date(Date.now() + 30_000).toUTCString() },
    { authorization: "Signature x" },
    { authorization: signed("till").authorization },
  ];
  for (const headers of bad)
    assert.equal(await gateway.ask(headers), refusals.disallowed, JSON.stringify(headers));
  assert.equal(await gateway.ask(signed("till"), "?a=1"), refusals.disallowed);
  assert.is(gateway.received.length, 1);
  await gateway.close();
});

test("algorithms, skew, repeats and required headers are configurable", async () => {
  const old = { date: new Date(Date.now() - 90_000).toUTCString() };
  const lax = await start({ allowedAlgorithms: ["hmac-sha1"], allowedClockSkew: 300_000 });
  assert.is((await lax.ask(signed("till", { ...old, algorithm: "sha1" })))[0], 200);
  assert.equal(await lax.ask(signed("till", old)), refusals.disallowed);
  await lax.close();
  const strict = await start({ refuseRepeats: true });
  const once = signed("till");
  assert.is((await strict.ask(once))[0], 200);
  assert.equal(await strict.ask(once), refusals.disallowed);
  await strict.close();
  const digested = await start({ requiredHeaders: ["digest"] });
  assert.equal(await digested.ask({ ...signed("till"), digest: "x" }), refusals.disallowed);
  await digested.close();
  assert.throws(
    () => signedRequests({ allowedAlgorithms: ["hmac-md5"] }),
    (error: unknown) => error instanceof EnvironmentError,
  );
});

test("a signing key is not accepted as a bearer token, since its name is sent with every request", async () => {
  const gateway = await guardedBy(authToken({ header: "Authorization" }), [], keys);
  assert.equal(await gateway.bear("till"), refusals.disallowed);
  assert.is((await gateway.bear("unsigned"))[0], 200);
  await gateway.close();
});

test.run();
