import { createHash } from "node:crypto";
import { Redis } from "ioredis";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { GatewayError } from "../../../runtime/errors.ts";
import { redisTokens } from "../../../runtime/oauth/redis-tokens.ts";
import { createLogger } from "../../../runtime/process/log.ts";
import { redis } from "../../harness/brokers.ts";
import { startTcpProxy } from "../../harness/tcp-proxy.ts";
import { secrets, serveOauth } from "./served.ts";
import { contract, kept } from "./store-contract.ts";

const broker = await redis();
const url = broker.address;
const context = { log: createLogger("silent"), signal: new AbortController().signal };

for (const [name, run] of Object.entries(contract)) {
  test(name, async () => {
    const store = redisTokens({ url });
    await store.start?.(context);
    await run(store);
    await store.close?.();
  });
}

test("a token of one gateway is valid in another, which may revoke it", async () => {
  const [here, there] = await Promise.all([
    serveOauth({}, redisTokens({ url })),
    serveOauth({}, redisTokens({ url })),
  ]);
  const { body } = await here.ask("token", { grant_type: "client_credentials" });
  const token = String(body.access_token);
  assert.is((await there.server.findToken(token))?.client.client_id, "shop 1");
  await there.ask("revoke", { token });
  assert.is(await here.server.findToken(token), undefined);
  await here.close();
  await there.close();
});

test("Redis holds neither tokens nor secrets, and every key expires", async () => {
  const oauth = await serveOauth({ refresh_tokens: true }, redisTokens({ url }));
  const { body } = await oauth.ask("token", { grant_type: "client_credentials" });
  const client = new Redis(url);
  const keys = await client.keys("sluice:{oauth}:*");
  assert.ok(
    keys.some((key) => key.includes(createHash("sha256").update(String(body.access_token)).digest("hex"))),
  );
  for (const key of keys) {
    assert.ok((await client.pttl(key)) > 0, key);
    const text = `${key} ${await client.get(key).catch(() => "")}`;
    for (const secret of [body.access_token, body.refresh_token, secrets.shop]) {
      assert.not(text.includes(String(secret)), key);
    }
  }
  await client.quit();
  await oauth.close();
});

test("an invalid record in Redis grants nothing", async () => {
  const store = redisTokens({ url });
  await store.start?.(context);
  const token = kept("forged");
  const client = new Redis(url);
  for (const text of ["", "{}", "null", '{"client":"a"}', "no JSON"]) {
    await client.set(`sluice:{oauth}:access:${token.hash}`, text, "EX", 60);
    const error = await store.findAccess(token.hash).catch((reason: unknown) => reason);
    assert.instance(error, GatewayError);
  }
  await client.quit();
  await store.close?.();
});

test("with Redis unreachable, the gateway does not start, and lookups are rejected", async () => {
  const store = redisTokens({ url: "redis://127.0.0.1:1" });
  const failed = await store.start?.(context).catch((error: unknown) => error);
  assert.instance(failed, GatewayError);
  const refused = await store.findAccess("a").catch((error: unknown) => error);
  assert.instance(refused, GatewayError);
});

test("while Redis is unreachable, lookups fail with 503, without rejecting the token or revealing details", async () => {
  const proxy = await startTcpProxy(Number(new URL(url).port));
  const store = redisTokens({ url: `redis://127.0.0.1:${proxy.port}` });
  await store.start?.(context);
  await proxy.close();
  const questions = [
    () => store.findAccess("a"),
    () => store.takeRefresh("a"),
    () => store.issue(kept("a"), undefined, 1),
  ];
  for (const ask of questions) {
    const error = await Promise.resolve(ask()).catch((reason: unknown) => reason);
    assert.ok(error instanceof GatewayError && error.status === 503, String(error));
    assert.is(error.message, "Credentials cannot be checked now");
  }
  await store.close?.();
});

test.after(() => broker.stop());

test.run();
