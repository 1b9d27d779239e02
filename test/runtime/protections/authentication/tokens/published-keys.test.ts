import { test } from "uvu";
import * as assert from "uvu/assert";
import { GatewayError } from "../../../../../runtime/errors.ts";
import { createLogger } from "../../../../../runtime/process/log.ts";
import { verifierOfAddress } from "../../../../../runtime/protections/authentication/jwt-of-keys.ts";
import { findAlgorithms } from "../../../../../runtime/protections/authentication/tokens/algorithms.ts";
import {
  joinedKeys,
  publishedKeys,
} from "../../../../../runtime/protections/authentication/tokens/published-keys.ts";
import type { TokenKeys } from "../../../../../runtime/protections/authentication/tokens/token-keys.ts";
import { until } from "../../../../harness/wait.ts";
import { createSigner, type Issuer, type Signer, startIssuer } from "../signers.ts";

/** A scene in which the test sets the time. */
interface Scene {
  readonly issuer: Issuer;
  readonly keys: TokenKeys;
  now: number;
  publish(...signers: readonly Signer[]): void;
  finds(signer: Signer): Promise<boolean>;
  end(): Promise<void>;
}

const [first, second, third] = await Promise.all([
  createSigner("ES256", "first"),
  createSigner("ES256", "second"),
  createSigner("RS256", "third"),
]);

async function scene(times = { lifetime: 1000, cooldown: 100 }): Promise<Scene> {
  const issuer = await startIssuer();
  const closing = new AbortController();
  const log = createLogger("silent");
  const options = { url: `${issuer.url}/keys`, ...times };
  const made: Scene = {
    issuer,
    now: 10_000,
    keys: publishedKeys(options, { log, signal: closing.signal, now: () => made.now }),
    publish: (...signers) => {
      issuer.replies.set("/keys", { body: { keys: signers.map(({ jwk }) => jwk) } });
    },
    finds: async ({ alg, kid }) => (await made.keys.find({ alg, kid })).length === 1,
    end: async () => {
      closing.abort();
      await issuer.close();
    },
  };
  made.publish(first);
  return made;
}

const isUnavailable = (error: unknown) => error instanceof GatewayError && error.status === 503;

async function rejects(promise: Promise<unknown>): Promise<void> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(isUnavailable(error), String(error));
}

test("keys are fetched once for all callers, on first use", async () => {
  const at = await scene();
  assert.is(at.issuer.requests.length, 0);
  assert.equal(await Promise.all([at.finds(first), at.finds(first), at.finds(first)]), [true, true, true]);
  assert.is(at.issuer.requests.length, 1);
  await at.end();
});

test("a new key is found at once, the version changes, and a removed key is unknown", async () => {
  const at = await scene();
  assert.ok(await at.finds(first));
  const before = await at.keys.version();
  at.publish(second);
  at.now += 101;
  assert.ok(await at.finds(second));
  assert.not(await at.finds(first));
  assert.is.not(await at.keys.version(), before);
  await at.end();
});

test("a flood of unknown keys fetches at most once per cooldown", async () => {
  const at = await scene();
  assert.ok(await at.finds(first));
  at.now += 101;
  const flood = Array.from({ length: 500 }, (_, index) =>
    at.keys.find({ alg: "ES256", kid: `unknown-${index}` }),
  );
  assert.ok((await Promise.all(flood)).every((keys) => keys.length === 0));
  for (let index = 0; index < 100; index += 1) await at.keys.find({ alg: "ES256", kid: `more-${index}` });
  assert.is(at.issuer.requests.length, 2);
  assert.ok(await at.finds(first));
  await at.end();
});

test("keys with a lifetime below the cooldown are fetched again when they expire", async () => {
  const at = await scene({ lifetime: 1000, cooldown: 30_000 });
  assert.ok(await at.finds(first));
  at.publish(second);
  at.now += 1000;
  assert.equal(await Promise.all([at.finds(second), at.finds(second)]), [true, true]);
  assert.not(await at.finds(first), "an unknown one has to wait for the cooldown");
  assert.is(at.issuer.requests.length, 2);
  await at.end();
});

test("unknown keys fetch from a failing address no more often than from a working one", async () => {
  const at = await scene({ lifetime: 600_000, cooldown: 30_000 });
  assert.ok(await at.finds(first));
  at.issuer.replies.set("/keys", { status: 500 });
  for (let seconds = 0; seconds < 90; seconds += 10) {
    at.now += 10_000;
    assert.not(await at.finds(second));
  }
  assert.is(at.issuer.requests.length, 4, "once at first, and every thirty seconds");
  await at.end();
});

test("keys past half their lifetime are refreshed in the background", async () => {
  const at = await scene();
  assert.ok(await at.finds(first));
  const before = await at.keys.version();
  at.publish(first, second);
  at.now += 501;
  assert.is(at.keys.version(), before);
  await until(() => at.keys.version() !== before, { what: "the version of the new keys" });
  assert.is(at.issuer.requests.length, 2);
  await at.end();
});

test("keys stay valid until they expire while the issuer does not answer", async () => {
  const at = await scene();
  assert.ok(await at.finds(first));
  at.issuer.replies.set("/keys", { status: 500 });
  at.now += 999;
  assert.ok(await at.finds(first));
  at.now += 1;
  await rejects(at.finds(first));
  await rejects(Promise.resolve(at.keys.version()));
  at.publish(first);
  at.now += 1000;
  assert.ok(await at.finds(first));
  await at.end();
});

test("invalid key sets are rejected, and failures are retried with pauses", async () => {
  const at = await scene();
  const replies = [
    { body: "no JSON" },
    { body: [] },
    { body: {} },
    { body: { keys: "none" } },
    { body: { keys: [null] } },
    { body: `{"keys":[],"padding":"${"x".repeat(600_000)}"}` },
    { status: 302, headers: { location: `${at.issuer.url}/elsewhere` } },
    { status: 404, body: { keys: [first.jwk] } },
  ];
  at.issuer.replies.set("/elsewhere", { body: { keys: [first.jwk] } });
  for (const reply of replies) {
    at.issuer.replies.set("/keys", reply);
    at.now += 1000;
    await rejects(at.finds(first));
    await rejects(at.finds(first));
  }
  assert.is(at.issuer.requests.length, replies.length);
  await at.end();
});

test("published secrets, and keys for another use or algorithm, are ignored", async () => {
  const at = await scene();
  const secret = { kty: "oct", k: Buffer.alloc(32, 1).toString("base64url"), kid: "secret", alg: "HS256" };
  const encrypting = { ...second.jwk, use: "enc" };
  at.issuer.replies.set("/keys", { body: { keys: [secret, encrypting, third.jwk] } });
  assert.equal(await at.keys.find({ alg: "HS256", kid: "secret" }), []);
  assert.not(await at.finds(second));
  assert.equal(await at.keys.find({ alg: "ES256", kid: "third" }), []);
  assert.ok(await at.finds(third));
  await at.end();
});

test("several addresses form one set; a key that an unavailable one may hold is not rejected as unknown", async () => {
  const [here, there] = [await scene(), await scene()];
  there.publish(second);
  const joined = joinedKeys([here.keys, there.keys]);
  assert.is((await joined.find({ alg: "ES256", kid: "first" })).length, 1);
  assert.is((await joined.find({ alg: "ES256", kid: "second" })).length, 1);
  assert.equal(await joined.find({ alg: "ES256", kid: "nobody's" }), []);
  const before = await joined.version();
  there.issuer.replies.delete("/keys");
  there.now += 1000;
  assert.is((await joined.find({ alg: "ES256", kid: "first" })).length, 1);
  await rejects(joined.find({ alg: "ES256", kid: "second" }));
  assert.is.not(await joined.version(), before);
  await here.end();
  await there.end();
});

test("an unknown signature fetches the developer's keys again, once in 30 seconds", async () => {
  const [first, next] = [await createSigner("ES256", "a"), await createSigner("ES256", "b")];
  const issuer = await startIssuer();
  issuer.replies.set("/keys", { body: { keys: [first.jwk] } });
  const algorithms = findAlgorithms("ecdsa");
  assert.ok(algorithms);
  const clock = { now: 1_000_000 };
  const { signal } = new AbortController();
  const context = { log: createLogger("silent"), signal, now: () => clock.now };
  const address = { url: `${issuer.url}/keys`, allowPrivate: true };
  const verifier = verifierOfAddress(address, algorithms, 5, context);
  const holds = async (signer: Signer) =>
    (await verifier.verify(await signer.sign({}, { kid: "named by the gateway" }))) !== undefined;
  assert.equal([await holds(first), await holds(next)], [true, false]);
  issuer.replies.set("/keys", { body: { keys: [next.jwk] } });
  assert.equal([await holds(next), issuer.count("/keys")], [false, 1]);
  clock.now += 30_000;
  assert.equal([await holds(next), await holds(first), issuer.count("/keys")], [true, false, 2]);
  await issuer.close();
});

test("keys at a private address are not fetched unless allowed", async () => {
  const signer = await createSigner("ES256");
  const issuer = await startIssuer();
  issuer.replies.set("/keys", { body: { keys: [signer.jwk] } });
  const algorithms = findAlgorithms("ecdsa");
  assert.ok(algorithms);
  const context = { log: createLogger("silent"), signal: new AbortController().signal };
  for (const url of [`${issuer.url}/keys`, "https://127.0.0.1/keys", "https://localhost/keys"]) {
    const verifier = verifierOfAddress({ url, allowPrivate: false }, algorithms, 5, context);
    await Promise.resolve(verifier.verify(await signer.sign({}))).then(
      () => assert.unreachable(url),
      (error: unknown) => assert.is(error instanceof GatewayError ? error.status : error, 503),
    );
  }
  assert.is(issuer.count("/keys"), 0);
  await issuer.close();
});

test.run();
