import { suite } from "uvu";
import * as assert from "uvu/assert";
import { GatewayError } from "../../../runtime/errors.ts";
import { redisCache } from "../../../runtime/resources/redis-cache.ts";
import type { RedisAddress } from "../../../runtime/resources/redis-client.ts";
import { redisRateLimit } from "../../../runtime/resources/redis-rate-limit.ts";
import { startRedis } from "../../harness/brokers/redis.ts";
import { createCertificates } from "../../harness/certificates.ts";
import { temporaryDirectory } from "../../harness/directories.ts";
import { freePort } from "../../harness/ports.ts";
import { componentContext } from "../connectors/contexts.ts";

const test = suite("redis: encrypted connections");
const { authority, server, client, lockedClient, stranger } = await createCertificates();

/** Starts a Redis that accepts only TLS, and only clients with a certificate. */
async function startEncrypted(place: { readonly port: number; readonly directory: string }) {
  const files = ["--tls-cert-file", server.certFile, "--tls-key-file", server.keyFile];
  const asking = ["--tls-ca-cert-file", authority.certFile, "--tls-auth-clients", "yes"];
  const ports = ["--port", "0", "--tls-port", String(place.port)];
  return startRedis({ ...place, configuration: [...ports, ...files, ...asking] });
}

const place = { port: await freePort(), directory: temporaryDirectory("redis") };
let redis = await startEncrypted(place);
const encrypted = redis.address.replace("redis:", "rediss:");
const trust = { enabled: true, root_cas_file: authority.certFile };
const known = { cert_file: client.certFile, key_file: client.keyFile };

/** Writes a value and returns what is read, or why that fails. */
async function through(address: RedisAddress): Promise<string> {
  const cache = redisCache({ ...address, retries: { max_elapsed_time: 0 } });
  try {
    await cache.start?.(componentContext());
    await cache.set("key", Buffer.from("kept"));
    return Buffer.from((await cache.get("key")) ?? []).toString();
  } catch (error) {
    assert.instance(error, GatewayError);
    return (error as GatewayError).message;
  } finally {
    await cache.close?.();
  }
}

test("caches and rate limits connect with the client's certificate, for every URL scheme", async () => {
  const { keyFile, password } = lockedClient;
  const locked = { cert_file: client.certFile, key_file: keyFile, password };
  for (const url of [encrypted, redis.address, encrypted.replace("127.0.0.1", "localhost")]) {
    assert.is(await through({ url, tls: { ...trust, client_certs: [known] } }), "kept", url);
  }
  const inPlace = {
    enabled: true,
    root_cas: authority.cert,
    client_certs: [{ cert: client.cert, key: client.key }],
  };
  assert.is(await through({ url: encrypted, tls: inPlace }), "kept");
  assert.is(await through({ url: encrypted, tls: { ...trust, client_certs: [locked] } }), "kept");
  const limit = redisRateLimit({
    url: encrypted,
    tls: { ...trust, client_certs: [known] },
    key: "limit",
    count: 1,
  });
  await limit.start?.(componentContext());
  assert.is(await limit.take(1), 0);
  assert.ok((await limit.take(1)) > 0);
  await limit.close?.();
});

test("an untrusted peer is rejected on either side", async () => {
  const away = "Redis cannot be reached";
  assert.is(await through({ url: encrypted, tls: trust }), away, "no certificate");
  const certificates = { client_certs: [known] };
  assert.is(
    await through({ url: encrypted, tls: { enabled: true, ...certificates } }),
    away,
    "unknown authority",
  );
  const wrong = { ...trust, root_cas_file: stranger.certFile, ...certificates };
  assert.is(await through({ url: encrypted, tls: wrong }), away, "another authority");
  assert.is(await through({ url: encrypted, tls: { ...wrong, skip_cert_verify: true } }), "kept");
  assert.is(await through({ url: redis.address }), away, "in the clear");
  const off = { ...trust, enabled: false, ...certificates };
  assert.is(await through({ url: redis.address, tls: off }), away, "switched off");
});

test("a lost connection is encrypted again when it is restored", async () => {
  const tls = { ...trust, client_certs: [known] };
  const cache = redisCache({
    url: encrypted,
    tls,
    retries: { initial_interval: 5, max_elapsed_time: 60_000 },
  });
  await cache.start?.(componentContext());
  await cache.set("before", Buffer.from("kept"));
  await redis.stop();
  const asked = cache.get("before");
  redis = await startEncrypted(place);
  assert.is(Buffer.from((await asked) ?? []).toString(), "kept");
  await cache.close?.();
});

test.after(() => redis.stop());

test.run();
