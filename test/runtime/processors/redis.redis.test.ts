import { Redis } from "ioredis";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { redis as redisCommand } from "../../../runtime/connectors/redis/command.ts";
import { redisScript } from "../../../runtime/connectors/redis/script.ts";
import { MappingError } from "../../../runtime/errors.ts";
import { type Batch, Message } from "../../../runtime/message/message.ts";
import type { Value } from "../../../runtime/message/value.ts";
import { redis } from "../../harness/brokers.ts";
import { unique } from "../../harness/names.ts";
import { freePort } from "../../harness/ports.ts";
import { batchOf, componentContext, textOfBatch } from "../connectors/contexts.ts";

const broker = await redis();
const url = broker.address;
const client = new Redis(url);
const once = { url, retries: 0, retry_period: 0 };
const empty = Message.fromText("");
const made = (value: Value) => () => empty.withDocument(value);
const field = (name: string) => (batch: Batch, index: number) => {
  const document = batch[index]?.document() as Record<string, Value>;
  return String(document[name]);
};

async function reply(command: string, ...values: readonly Value[]): Promise<string> {
  const processor = redisCommand({ ...once, command, args_mapping: made(values) });
  const batches = await processor.process(batchOf("as it was"), componentContext());
  await processor.close?.();
  const [message] = batches.flat();
  return message?.failure === undefined
    ? textOfBatch(batches.flat())
    : `${message.failure.message} | ${textOfBatch(batches.flat())}`;
}

test("replies become JSON, with all digits of numbers", async () => {
  const key = unique("command");
  assert.is(await reply("set", `${key}:a`, "text"), '"OK"');
  assert.is(await reply("get", `${key}:a`), '"text"');
  assert.is(await reply("incrby", `${key}:n`, 9007199254740993n), "9007199254740993");
  assert.is(await reply("hset", `${key}:h`, "a", 1.5, "__proto__", true), "2");
  assert.is(await reply("hgetall", `${key}:h`), '{"__proto__":"1","a":"1.5"}');
  assert.is(await reply("mget", `${key}:a`, `${key}:none`), '["text",null]');
  await client.zadd(`${key}:z`, 1.5, "m");
  assert.is(await reply("zscore", `${key}:z`, "m"), "1.5");
  assert.is(await reply("zrange", `${key}:z`, 0, -1, "WITHSCORES"), '[["m",1.5]]');
});

test("a message without a reply passes unchanged, flagged", async () => {
  const key = unique("command");
  assert.is(await reply("get", key), "redis: nil | as it was");
  assert.match(await reply("nosuch"), /^ERR unknown command 'nosuch'.* \| as it was$/);
  assert.is(
    await reply("set", key, { a: 1 }),
    "redis: can't marshal map[string]interface {} (implement encoding.BinaryMarshaler) | as it was",
  );
  const away = redisCommand({
    ...once,
    url: `redis://127.0.0.1:${await freePort()}`,
    command: "ping",
    args_mapping: made([]),
  });
  const [message] = (await away.process(batchOf("x"), componentContext())).flat();
  assert.is(message?.failure?.message, "Redis cannot be reached");
  await away.close?.();
});

test("a message may choose among the allowed commands only", async () => {
  const key = unique("command");
  await client.set(key, "1");
  const processor = redisCommand({
    ...once,
    command: field("command"),
    allowed_commands: ["GET", "exists"],
    args_mapping: made([key]),
  });
  const texts = ["get", "EXISTS", "flushall", "del", "subscribe", "get\r\nflushall"];
  const batch = batchOf(...texts.map((command) => JSON.stringify({ command })));
  const messages = (await processor.process(batch, componentContext())).flat();
  assert.equal(
    messages.map(({ failure }) => failure?.message),
    [
      undefined,
      undefined,
      "The computed `command` is not one of `allowed_commands`",
      "The computed `command` is not one of `allowed_commands`",
      "The computed `command` is not a Redis command for a shared connection",
      "The computed `command` is not a Redis command for a shared connection",
    ],
  );
  assert.is(textOfBatch(messages.slice(0, 2)), '"1" 1');
  assert.is(await client.get(key), "1");
  await processor.close?.();
});

test("the older operators take a key and the content of the message", async () => {
  const key = unique("operator");
  const run = async (operator: "keys" | "scard" | "sadd" | "incrby", name: string, text: string) => {
    const processor = redisCommand({ ...once, operator, key: name });
    const [message] = (await processor.process(batchOf(text), componentContext())).flat();
    await processor.close?.();
    return message?.failure?.message ?? textOfBatch(message === undefined ? [] : [message]);
  };
  assert.is(await run("sadd", `${key}:s`, "a"), "1");
  assert.is(await run("scard", `${key}:s`, "x"), "1");
  assert.is(await run("incrby", `${key}:n`, "-5"), "-5");
  assert.match(await run("incrby", `${key}:n`, "1.5"), /not a whole number/);
  assert.is(JSON.parse(await run("keys", `${key}:*`, "x")).length, 2);
});

test("a script receives keys and arguments, and its text is sent once", async () => {
  const key = unique("script");
  const processor = redisScript({
    ...once,
    script: `redis.call("SET", KEYS[1], ARGV[1]); return {1, ARGV[1], KEYS[1], ARGV[2], true, false} -- ${key}`,
    keys_mapping: made([key]),
    args_mapping: made([1.5, "x"]),
  });
  const messages = (await processor.process(batchOf("a", "b"), componentContext())).flat();
  assert.is(textOfBatch(messages.slice(0, 1)), `[1,"1.5","${key}","x",1,null]`);
  assert.is(messages[1]?.failure, undefined);
  assert.is(await client.get(key), "1.5");
  const failing = redisScript({
    ...once,
    script: "return redis.call('incr', KEYS[1])",
    keys_mapping: made([key]),
    args_mapping: made([]),
  });
  const [failed] = (await failing.process(batchOf("c"), componentContext())).flat();
  assert.match(failed?.failure?.message ?? "", /not an integer/);
  assert.is(failed?.failure?.answer, "Redis refused the command (ERR)");
  const unfit = redisScript({
    ...once,
    script: "return 1",
    keys_mapping: made([]),
    args_mapping: made({ a: 1 }),
  });
  const throwing = redisScript({
    ...once,
    script: "return 1",
    keys_mapping: () => {
      throw new MappingError("no");
    },
    args_mapping: made([]),
  });
  const failures = [unfit, throwing].map(
    async (each) => (await each.process(batchOf("c"), componentContext())).flat()[0]?.failure?.message,
  );
  assert.equal(await Promise.all(failures), [
    "args_mapping failed: mapping returned non-array result: map[string]interface {}",
    "keys_mapping failed: mapping failed: no",
  ]);
  await Promise.all([processor, failing, unfit, throwing].map((each) => each.close?.()));
});

test.after(async () => {
  await client.quit();
  await broker.stop();
});

test.run();
