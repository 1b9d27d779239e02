import { Redis } from "ioredis";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { startRedis } from "../../harness/brokers/redis.ts";
import { testedLines } from "./tested.ts";

const server = await startRedis({ configuration: ["--requirepass", "secret"] });
const { host } = new URL(server.address);
const admin = new Redis(`redis://:secret@${host}`);
await admin.call("ACL", "SETUSER", "few", "on", ">secret", "~own:*", "+@connection", "+info", "+exists");

test.after(async () => {
  await admin.quit();
  await server.stop();
});

const entry = `passed address ${host}`;
const unwritten = "untested right to write: Redis reports it only when something is written";

/** A stream around a cache in Redis. */
function cacheAt(url: string, prefix = ""): Promise<readonly string[]> {
  const cache = { resource: "seen", operator: "get", key: "a" };
  const document = {
    input: { generate: { mapping: "root = {}" } },
    pipeline: { processors: [{ cache }] },
    output: { drop: {} },
    cache_resources: [{ label: "seen", redis: { url, prefix } }],
  };
  return testedLines(JSON.stringify(document));
}

test("a cache is tested without writing to it", async () => {
  assert.equal(await cacheAt(`redis://:secret@${host}`), [
    entry,
    "passed login",
    "passed answer to PING",
    "passed right to read",
    unwritten,
  ]);
  assert.is(await admin.dbsize(), 0);
});

test("a missing and a wrong password are failures", async () => {
  assert.equal(await cacheAt(`redis://${host}`), [
    entry,
    "failed login (authentication): Redis requires a password",
  ]);
  assert.equal(await cacheAt(`redis://:wrong@${host}`), [
    entry,
    "failed login (authentication): the user or the password is wrong",
  ]);
});

test("keys without permission to read are a failure", async () => {
  assert.is((await cacheAt(`redis://few:secret@${host}`, "own:"))[3], "passed right to read");
  assert.is(
    (await cacheAt(`redis://few:secret@${host}`, "others:"))[3],
    "failed right to read (forbidden): the user may not do that",
  );
});

test.run();
