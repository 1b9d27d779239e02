import { Redis } from "ioredis";
import { startRedis } from "../../harness/brokers/redis.ts";
import { temporaryDirectory } from "../../harness/directories.ts";
import { freePort } from "../../harness/ports.ts";
import { startTcpProxy, type TcpProxy } from "../../harness/tcp-proxy.ts";
import { until } from "../../harness/wait.ts";
import { chunksOf, type Source } from "../source.ts";

const [stream, group] = ["numbers", "gateway"];

/** A separate Redis behind a proxy that keeps its data over a restart. */
export interface CrashedRedis {
  /** What the gateway connects to. */
  readonly url: string;
  readonly client: Redis;
  readonly proxy: TcpProxy;
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a separate Redis with a proxy and a client. */
export async function startCrashedRedis(): Promise<CrashedRedis> {
  const place = { port: await freePort(), directory: temporaryDirectory("redis") };
  const proxy = await startTcpProxy(place.port);
  let broker = await startRedis(place);
  const client = new Redis(place.port, "127.0.0.1", { maxRetriesPerRequest: null });
  client.on("error", () => undefined); // the client reconnects
  return {
    url: `redis://127.0.0.1:${proxy.port}`,
    client,
    proxy,
    async restart() {
      await broker.stop();
      broker = await startRedis(place);
    },
    async close() {
      client.disconnect();
      await broker.stop();
      await proxy.close();
    },
  };
}

/** A list, whose values are in a processing list until they are delivered. */
export async function redisListSource(): Promise<Source> {
  const redis = await startCrashedRedis();
  const { client } = redis;
  const [key, processing] = ["list", "processing"];
  const left = async () => (await client.llen(key)) + (await client.llen(processing));
  const settled = (timeout: number) =>
    until(async () => (await left()) === 0, { timeout }).catch(() => undefined);
  return {
    input: { redis_list: { url: redis.url, key, processing_key: processing } },
    inFlight: 1024,
    async fill(range) {
      for (const chunk of chunksOf(range, 500)) await client.rpush(key, ...chunk);
    },
    async remaining() {
      await settled(10_000);
      return left();
    },
    givenAgain: async () => void (await settled(180_000)),
    cut: () => redis.proxy.reset(),
    restart: redis.restart,
    close: redis.close,
  };
}

/** A stream that a consumer of a group reads. */
export async function redisSource(): Promise<Source> {
  const redis = await startCrashedRedis();
  const { client } = redis;
  await client.xgroup("CREATE", stream, group, "0", "MKSTREAM");
  /** Returns the number of entries that the group has not read or not acknowledged. */
  async function unsettled(): Promise<number> {
    const [fields = []] = (await client.xinfo("GROUPS", stream)) as unknown[][];
    const countOf = (name: string) => Number(fields[fields.indexOf(name) + 1]);
    return countOf("pending") + countOf("lag");
  }
  const settled = (timeout: number) =>
    until(async () => (await unsettled()) === 0, { timeout }).catch(() => undefined);
  return {
    input: {
      redis_streams: {
        url: redis.url,
        streams: [stream],
        consumer_group: group,
        client_id: "one",
        body_key: "body",
        start_from_oldest: true,
        commit_period: "100ms",
      },
    },
    inFlight: 1024,
    async fill(range) {
      for (const chunk of chunksOf(range, 500)) {
        await Promise.all(chunk.map((message) => client.xadd(stream, "*", "body", message)));
      }
    },
    async remaining() {
      await settled(10_000);
      return unsettled();
    },
    givenAgain: async () => void (await settled(180_000)),
    cut: () => redis.proxy.reset(),
    restart: redis.restart,
    close: redis.close,
  };
}
