import { Redis } from "ioredis";
import { suite } from "uvu";
import { type ContractCase, inputContract, outputContract } from "../../component/contract.ts";
import { redisListInput } from "../../runtime/connectors/redis/list/input.ts";
import { redisListOutput } from "../../runtime/connectors/redis/list/output.ts";
import { redisPubsubInput } from "../../runtime/connectors/redis/pubsub/input.ts";
import { redisStreamsInput } from "../../runtime/connectors/redis/streams/input.ts";
import { redisStreamsOutput } from "../../runtime/connectors/redis/streams/output.ts";
import { redis } from "../harness/brokers.ts";
import { unique } from "../harness/names.ts";
import { freePort } from "../harness/ports.ts";
import { startTcpProxy } from "../harness/tcp-proxy.ts";
import { until } from "../harness/wait.ts";

// Connectors of ours keep the contract that packages run on theirs.

const test = suite("contract");
const broker = await redis();
const url = broker.address;
const closed = `redis://127.0.0.1:${await freePort()}`;
const client = new Redis(url);
const proxy = await startTcpProxy(Number(new URL(url).port));
const proxied = `redis://127.0.0.1:${proxy.port}`;
const holdConfirmations = () => {
  proxy.mute();
  return proxy.release;
};
test.after(async () => {
  await client.quit();
  await proxy.close();
  await broker.stop();
});

function runAll(cases: readonly ContractCase[], of: string): void {
  for (const each of cases) test(`${of}: ${each.name}`, each.run);
}

const quick = { commit_period: 0, timeout: 50, claim_idle: 0 };

runAll(
  inputContract(async () => {
    const key = unique("list");
    return {
      create: () => redisListInput({ url, key, max_in_flight: 1, timeout: 50 }),
      send: async (text) => void (await client.rpush(key, text)),
      unreachable: () => redisListInput({ url: closed, key }),
    };
  }),
  "redis_list",
);

runAll(
  outputContract(async () => {
    const key = unique("list");
    return {
      create: () => redisListOutput({ url: proxied, key }),
      holdConfirmations,
      received: (count) => until(async () => (await client.llen(key)) >= count && client.lrange(key, 0, -1)),
      unreachable: () => redisListOutput({ url: closed, key }),
    };
  }),
  "redis_list",
);

runAll(
  inputContract(async () => {
    const [stream, group] = [unique("stream"), "billing"];
    const pending = async () => Number((await client.xpending(stream, group))[0]);
    return {
      create: () => redisStreamsInput({ url, streams: [stream], consumer_group: group, ...quick }),
      send: async (text) => void (await client.xadd(stream, "*", "body", text)),
      unreachable: () => redisStreamsInput({ url: closed, streams: [stream], consumer_group: group }),
      acknowledged: async () => void (await until(async () => (await pending()) === 0)),
    };
  }),
  "redis_streams",
);

runAll(
  outputContract(async () => {
    const stream = unique("stream");
    return {
      create: () => redisStreamsOutput({ url: proxied, stream }),
      holdConfirmations,
      received: (count) =>
        until(async () => {
          const entries = await client.xrange(stream, "-", "+");
          return (
            entries.length >= count && entries.map(([, fields]) => fields[fields.indexOf("body") + 1] ?? "")
          );
        }),
      unreachable: () => redisStreamsOutput({ url: closed, stream }),
    };
  }),
  "redis_streams",
);

runAll(
  inputContract(async () => {
    const channel = unique("channel");
    return {
      create: () => redisPubsubInput({ url, channels: [channel] }),
      send: async (text) => void (await client.publish(channel, text)),
      unreachable: () => redisPubsubInput({ url: closed, channels: [channel] }),
    };
  }),
  "redis_pubsub",
);

test.run();
