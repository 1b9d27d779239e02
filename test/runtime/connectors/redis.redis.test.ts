import { Redis } from "ioredis";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { UnfitMessages } from "../../../runtime/component/unfit-messages.ts";
import { redisHashOutput } from "../../../runtime/connectors/redis/hash/output.ts";
import { redisListInput } from "../../../runtime/connectors/redis/list/input.ts";
import { redisListOutput } from "../../../runtime/connectors/redis/list/output.ts";
import { redisPubsubInput } from "../../../runtime/connectors/redis/pubsub/input.ts";
import { redisPubsubOutput } from "../../../runtime/connectors/redis/pubsub/output.ts";
import { redisScanInput } from "../../../runtime/connectors/redis/scan/input.ts";
import { redisStreamsInput } from "../../../runtime/connectors/redis/streams/input.ts";
import { redisStreamsOutput } from "../../../runtime/connectors/redis/streams/output.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { type Batch, Message } from "../../../runtime/message/message.ts";
import { inputWithBatching } from "../../../runtime/processors/around/with-batching.ts";
import { redisCache } from "../../../runtime/resources/redis-cache.ts";
import { startRedis, startSentinel } from "../../harness/brokers/redis.ts";
import { redis } from "../../harness/brokers.ts";
import { temporaryDirectory } from "../../harness/directories.ts";
import { unique } from "../../harness/names.ts";
import { startTcpProxy } from "../../harness/tcp-proxy.ts";
import { until } from "../../harness/wait.ts";
import { batchOf, componentContext, inputContext, outagesInto, textOfBatch } from "./contexts.ts";

const test = suite("redis");
const broker = await redis();
const url = broker.address;
const client = new Redis(url);
test.after(async () => {
  await client.quit();
  await broker.stop();
});

const quick = { commit_period: 0, timeout: 50, claim_idle: 0 };

test("patterns select channels, and messages name their channel", async () => {
  const prefix = unique("channel");
  const context = inputContext();
  const input = redisPubsubInput({ url, channels: [`${prefix}.*`], use_patterns: true });
  await input.start(context);
  await client.publish(`${prefix}.a`, Buffer.from([0, 255]));
  const { batch, confirm } = await context.deliveries.next();
  assert.equal([...(batch[0]?.bytes() ?? [])], [0, 255]);
  assert.equal(Object.fromEntries(batch[0]?.metadata ?? []), {
    redis_pubsub_channel: `${prefix}.a`,
    redis_pubsub_pattern: `${prefix}.*`,
  });
  confirm();
  const output = redisPubsubOutput({ url, channel: `${prefix}.b` });
  await output.start(componentContext());
  await output.write(batchOf("from the output"));
  const next = await context.deliveries.next();
  assert.is(next.text, "from the output");
  next.confirm();
  await input.close();
  await output.close();
});

test("without patterns a channel is matched by its exact name", async () => {
  const name = unique("channel");
  const context = inputContext();
  const input = redisPubsubInput({ url, channels: [`${name}*`] });
  await input.start(context);
  await client.publish(`${name}1`, "no");
  await client.publish(`${name}*`, "yes");
  const { text, confirm } = await context.deliveries.next();
  assert.is(text, "yes");
  confirm();
  await input.close();
});

test("a subscription is restored after Redis restarts", async () => {
  const directory = temporaryDirectory("redis");
  const first = await startRedis({ directory });
  const reports: (string | undefined)[] = [];
  const context = { ...inputContext(), beginOutage: outagesInto(reports) };
  const input = redisPubsubInput({ url: first.address, channels: ["a"] });
  await input.start(context);
  await first.stop();
  await until(() => reports.length === 1);
  const second = await startRedis({ directory, port: Number(new URL(first.address).port) });
  const peer = new Redis(second.address);
  await until(async () => (await peer.publish("a", "again")) === 1, { what: "a subscriber" });
  const { text, confirm } = await context.deliveries.next();
  assert.is(text, "again");
  confirm();
  await input.close();
  peer.disconnect();
  await second.stop();
});

test("the other fields of an entry become metadata, and an entry without content is given up", async () => {
  const stream = unique("stream");
  await client.xadd(stream, "1-1", "body", "hello", "kind", "order", "redis_stream", "forged");
  await client.xadd(stream, "1-2", "kind", "no content");
  await client.xadd(stream, "1-3", "body", "last");
  const givenUp: string[] = [];
  const context = {
    ...inputContext(),
    giveUp: async (batch: Batch, failure: GatewayError) =>
      void givenUp.push(`${batch[0]?.metadata.get("redis_stream")}: ${failure.message}`),
  };
  const input = redisStreamsInput({ url, streams: [stream], consumer_group: "g", ...quick });
  await input.start(context);
  const first = await context.deliveries.next();
  assert.equal(Object.fromEntries(first.batch[0]?.metadata ?? []), { kind: "order", redis_stream: "1-1" });
  first.confirm();
  (await context.deliveries.next()).confirm();
  await until(async () => Number((await client.xpending(stream, "g"))[0]) === 0);
  assert.equal(givenUp, ["1-2: The entry has no field with the content of a message"]);
  await input.close();
  assert.equal(await client.xinfo("CONSUMERS", stream, "g"), [], "a consumer without a name leaves");
});

test("messages in a batch that is not complete do not count as in flight", async () => {
  const name = unique("name");
  const texts = Array.from({ length: 1_100 }, (_, index) => String(index)); // more than the limit of each input
  const rows = [
    [
      redisStreamsInput({ url, streams: [`${name}.stream`], consumer_group: "g", ...quick }),
      (text: string) => client.xadd(`${name}.stream`, "*", "body", text),
    ],
    [
      redisListInput({ url, key: `${name}.list`, timeout: 50 }),
      (text: string) => client.rpush(`${name}.list`, text),
    ],
    [
      redisPubsubInput({ url, channels: [`${name}.channel`] }),
      (text: string) => client.publish(`${name}.channel`, text),
    ],
  ] as const;
  for (const [source, write] of rows) {
    const input = inputWithBatching(source, { count: texts.length });
    const context = inputContext();
    await input.start(context);
    for (const text of texts) void write(text);
    const { batch, confirm } = await context.deliveries.next();
    assert.equal(
      batch.map((message) => textOfBatch([message])),
      texts,
    );
    confirm();
    await input.close();
  }
});

test("unacknowledged entries come first at the next start of the same consumer", async () => {
  const stream = unique("stream");
  await client.xadd(stream, "*", "body", "1");
  const options = { url, streams: [stream], consumer_group: "g", client_id: "me", ...quick };
  const context = inputContext();
  const input = redisStreamsInput(options);
  await input.start(context);
  const { refuse } = await context.deliveries.next();
  const closing = input.close();
  refuse(new GatewayError(502, "not now"));
  await closing;
  await client.xadd(stream, "*", "body", "2");
  const next = inputContext();
  const again = redisStreamsInput(options);
  await again.start(next);
  const [first, second] = await next.deliveries.take(2);
  assert.equal([first?.text, second?.text], ["1", "2"]);
  first?.confirm();
  second?.confirm();
  await until(async () => Number((await client.xpending(stream, "g"))[0]) === 0);
  await again.close();
});

test("entries of a vanished consumer are claimed, those in flight elsewhere are not", async () => {
  const stream = unique("stream");
  await client.xgroup("CREATE", stream, "g", "0", "MKSTREAM");
  await client.xadd(stream, "*", "body", "left behind");
  await client.xreadgroup("GROUP", "g", "gone", "COUNT", 1, "STREAMS", stream, ">");
  const options = { url, streams: [stream], consumer_group: "g", ...quick, claim_idle: 1_500 }; // kept on a busy machine
  const seen: string[] = [];
  const end = Promise.withResolvers<void>();
  const context = {
    ...inputContext(),
    deliver: async (batch: Batch) => {
      seen.push(textOfBatch(batch));
      await end.promise;
      return {};
    },
  };
  const inputs = [redisStreamsInput(options), redisStreamsInput(options)];
  for (const input of inputs) await input.start(context);
  await until(() => seen.length > 0);
  const claims = async () =>
    Number(/cmdstat_xautoclaim:calls=(\d+)/.exec(await client.info("commandstats"))?.[1]);
  const before = await claims();
  await until(async () => (await claims()) > before + 4, { what: "further looks for idle entries" });
  assert.equal(seen, ["left behind"]);
  end.resolve();
  for (const input of inputs) await input.close();
  assert.is(Number((await client.xpending(stream, "g"))[0]), 0);
});

test("a deleted stream is read again once it exists again", async () => {
  const stream = unique("stream");
  const context = inputContext();
  const input = redisStreamsInput({ url, streams: [stream], consumer_group: "g", ...quick });
  await input.start(context);
  await client.del(stream);
  await client.xadd(stream, "*", "body", "new");
  const { text, confirm } = await context.deliveries.next();
  assert.is(text, "new");
  confirm();
  await input.close();
});

test("a group is created before its first reader, and created again at the last position read", async () => {
  const stream = unique("stream");
  await client.xadd(stream, "*", "body", "before the start");
  const context = inputContext();
  const options = { url, streams: [stream], consumer_group: "g", start_from_oldest: false, ...quick };
  await redisStreamsInput(options).prepare?.(componentContext());
  await client.xadd(stream, "*", "body", "0");
  const input = redisStreamsInput(options);
  await input.start(context);
  const expect = async (...texts: readonly string[]) => {
    for (const expected of texts) {
      const { text, confirm } = await context.deliveries.next();
      assert.is(text, expected);
      confirm();
    }
  };
  const add = async (...texts: readonly string[]) => {
    const pipeline = client.multi();
    for (const text of texts) pipeline.xadd(stream, "*", "body", text);
    await pipeline.exec();
  };
  await expect("0");
  await client.multi().xgroup("DESTROY", stream, "g").xadd(stream, "*", "body", "1").exec();
  await expect("1");
  await client.multi().xgroup("DESTROY", stream, "g").xadd(stream, "*", "body", "2").exec();
  await expect("2");
  await client.multi().del(stream).xadd(stream, "*", "body", "3").exec();
  await add("4");
  await expect("3", "4");
  await client.multi().del(stream).xadd(stream, "5-1", "body", "an id of its own").exec();
  await expect("an id of its own");
  await input.close();
});

test("lost acknowledgements and lost responses are recovered, also without further entries", async () => {
  const stream = unique("stream");
  const proxy = await startTcpProxy(Number(new URL(url).port));
  const context = inputContext();
  const address = `redis://127.0.0.1:${proxy.port}`;
  const input = redisStreamsInput({ url: address, streams: [stream], consumer_group: "g", ...quick });
  await input.start(context);
  const isSettled = async () => Number((await client.xpending(stream, "g"))[0]) === 0;
  await client.xadd(stream, "*", "body", "1");
  const first = await context.deliveries.next();
  proxy.reset();
  first.confirm();
  await until(isSettled);
  const [consumer] = (await client.xinfo("CONSUMERS", stream, "g")) as readonly string[][];
  const asConsumer = ["GROUP", "g", consumer?.[1] ?? "", "STREAMS", stream, ">"] as const;
  await client
    .multi()
    .xadd(stream, "*", "body", "2")
    .xreadgroup(...asConsumer)
    .exec();
  await client.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
  const { text, confirm } = await context.deliveries.next();
  assert.is(text, "2");
  confirm();
  await until(isSettled);
  await input.close();
  await proxy.close();
});

test("missing streams are created only if configured", async () => {
  const stream = unique("stream");
  const input = redisStreamsInput({ url, streams: [stream], consumer_group: "g", create_streams: false });
  const failure = await input.start(inputContext()).catch((error: unknown) => error);
  assert.instance(failure, GatewayError);
  assert.is(await client.exists(stream), 0);
  await input.close();
});

test("metadata that passes the filter become fields of an entry, and max_length trims the stream", async () => {
  const stream = unique("stream");
  const output = redisStreamsOutput({ url, stream, metadata: { exclude_prefixes: ["x_"] }, max_length: 1 });
  await output.start(componentContext());
  const metadata = new Map<string, string>([
    ["kind", "order"],
    ["x_secret", "1"],
    ["body", "not this"],
    ["kafka_topic", "of another broker"],
  ]);
  await output.write([Message.fromText("hello", metadata)]);
  const [[, fields] = ["", []]] = await client.xrange(stream, "-", "+");
  assert.equal(fields, ["kind", "order", "body", "hello"]);
  await output.write(Array.from({ length: 500 }, (_, index) => Message.fromText(String(index))));
  assert.ok((await client.xlen(stream)) < 400);
  await output.close();
});

test("a hash gets fields from metadata, document and fields; the last one of a name wins", async () => {
  const key = unique("hash");
  const output = redisHashOutput({
    url,
    key: (batch, index) => (textOfBatch(batch.slice(index, index + 1)) === "[]" ? "" : key),
    walk_metadata: true,
    walk_json_object: true,
    fields: { c: "own" },
  });
  await output.start(componentContext());
  const text =
    '{"a":1,"b":true,"c":"x","d":null,"e":{"f":[1]},"big":12345678901234567890,"__proto__":"p","f":1.50}';
  await output.write([Message.fromText(text, new Map([["m", "meta"]]))]);
  const found = await client.hgetall(key);
  assert.equal(Object.entries(found).sort(), [
    ["__proto__", "p"],
    ["a", "1"],
    ["b", "1"],
    ["big", "12345678901234567890"],
    ["c", "own"],
    ["d", ""],
    ["e", '{"f":[1]}'],
    ["f", "1.50"],
    ["m", "meta"],
  ]);
  const refused = await output.write(batchOf("[]")).catch((error: unknown) => error);
  assert.is(refused instanceof GatewayError && refused.status, 422);
  await output.close();
});

test("a scan emits the strings of a database and ends", async () => {
  const prefix = unique("scan");
  for (let index = 0; index < 250; index++) await client.set(`${prefix}:${index}`, `value ${index}`);
  await client.rpush(`${prefix}:list`, "no string");
  const seen = new Set<string>();
  const ended = Promise.withResolvers<void>();
  const context = {
    ...inputContext(),
    deliver: async (batch: Batch) => {
      seen.add(textOfBatch(batch));
      return {};
    },
    reportEnd: () => ended.resolve(),
  };
  const input = redisScanInput({ url, match: `${prefix}:*` });
  await input.start(context);
  await ended.promise;
  await input.close();
  assert.is(seen.size, 250);
  assert.ok(seen.has(`{"key":"${prefix}:7","value":"value 7"}`));
});

test("a key of the wrong type fails the write, and the connection stays open", async () => {
  const [key, list] = [unique("string"), unique("list")];
  await client.set(key, "1");
  const output = redisListOutput({ url, key: (batch) => (textOfBatch(batch) === "bad" ? key : list) });
  await output.start(componentContext());
  const refused = await output.write(batchOf("bad")).catch((error: unknown) => error);
  assert.is(refused instanceof GatewayError && refused.message, "Redis refused the command (WRONGTYPE)");
  await output.write(batchOf("good"));
  assert.equal(await client.lrange(list, 0, -1), ["good"]);
  await output.close();
});

test("of a write, the messages to keys without right or of another type fail for good, and the others once", async () => {
  const server = await startRedis();
  const direct = new Redis(server.address);
  await direct.call("ACL", "SETUSER", "me", "on", ">pw", "~free*", "&free*", "+@all");
  await direct.set("free:text", "1");
  const as = server.address.replace("//", "//me:pw@");
  const key = (batch: Batch, index: number) => textOfBatch(batch.slice(index, index + 1));
  const lists = redisListOutput({ url: as, key });
  const channels = redisPubsubOutput({ url: as, channel: key });
  await Promise.all([lists.start(componentContext()), channels.start(componentContext())]);
  const batch = batchOf("free:a", "closed:b", "free:text", "free:c");
  for (const [output, refused] of [
    [lists, [1, 2]],
    [channels, [1]],
  ] as const) {
    const failure = await output.write(batch).catch((error: unknown) => error);
    if (!(failure instanceof UnfitMessages)) throw failure;
    assert.equal(
      [...failure.failures.keys()],
      refused.map((index) => batch[index]),
    );
    assert.ok(failure.othersDelivered);
  }
  assert.equal([await direct.llen("free:a"), await direct.llen("free:c")], [1, 1]);
  const fixed = redisListOutput({ url: as, key: "closed" });
  await fixed.start(componentContext());
  const failure = await fixed.write(batch).catch((error: unknown) => error);
  assert.not.instance(failure, UnfitMessages);
  assert.is(failure instanceof GatewayError && failure.message, "Redis refused the command (NOPERM)");
  await Promise.all([lists.close(), channels.close(), fixed.close(), direct.quit()]);
  await server.stop();
});

test("a cluster is discovered from one of its servers", async () => {
  const server = await startRedis({
    configuration: ["--cluster-enabled", "yes", "--cluster-announce-ip", "127.0.0.1"],
  });
  const direct = new Redis(server.address);
  await direct.call("CLUSTER", "ADDSLOTSRANGE", 0, 16383);
  await until(async () => String(await direct.call("CLUSTER", "INFO")).includes("cluster_state:ok"));
  const [stream, key] = ["{a}stream", "list"];
  const options = { url: `${server.address},redis://127.0.0.1:1`, kind: "cluster" } as const;
  const output = redisStreamsOutput({ ...options, stream });
  await output.start(componentContext());
  await output.write(batchOf("1"));
  const context = inputContext();
  const input = redisStreamsInput({
    ...options,
    streams: [stream, "{b}other"],
    consumer_group: "g",
    ...quick,
  });
  await input.start(context);
  const { text, confirm } = await context.deliveries.next();
  assert.is(text, "1");
  confirm();
  await client.ping();
  const list = redisListOutput({ ...options, key });
  await list.start(componentContext());
  await list.write(batchOf("x", "y"));
  assert.is(await direct.llen(key), 2);
  await Promise.all([input.close(), output.close(), list.close()]);
  direct.disconnect();
  await server.stop();
});

test("sentinels resolve the current master", async () => {
  const leader = await startRedis();
  const sentinel = await startSentinel(leader.address);
  const cache = redisCache({ url: sentinel.address, kind: "failover", master: "mymaster" });
  await cache.start?.(componentContext());
  await cache.set("a", Buffer.from("1"));
  const direct = new Redis(leader.address);
  assert.is(await direct.get("a"), "1");
  direct.disconnect();
  await cache.close?.();
  await sentinel.stop();
  await leader.stop();
});

test.run();
