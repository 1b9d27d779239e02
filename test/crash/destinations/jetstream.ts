import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { Kvm } from "@nats-io/kv";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { startNats } from "../../harness/brokers/nats.ts";
import { temporaryDirectory } from "../../harness/directories.ts";
import { freePort } from "../../harness/ports.ts";
import { startTcpProxy } from "../../harness/tcp-proxy.ts";
import { until } from "../../harness/wait.ts";
import type { Destination } from "../destination.ts";
import { Ledger } from "../ledger.ts";
import { numberOf } from "../source.ts";

const [stream, subject] = ["arrivals", "arrivals.all"];
const bucket = "arrivals";
const patience = 180_000;

/** A file-based stream. */
export function jetstreamDestination(): Promise<Destination> {
  return streamDestination(stream, (urls) => ({ nats_jetstream: { urls, subject } }), createStream);
}

async function createStream(client: NatsConnection): Promise<void> {
  const manager = await jetstreamManager(client);
  await manager.streams.add({ name: stream, subjects: [subject] });
}

/** A stream that deduplicates: it does not store a message whose id it has seen in the last two minutes. */
export async function deduplicatingDestination(): Promise<Destination> {
  const headers = { "Nats-Msg-Id": '${! meta("nats_sequence_stream") }' };
  const destination = await streamDestination(
    stream,
    (urls) => ({ nats_jetstream: { urls, subject, headers } }),
    createStream,
  );
  return { ...destination, dropsRepeats: true };
}

/** A file-based bucket in which each number is a key; a duplicate adds a second revision of its key. */
export function bucketDestination(): Promise<Destination> {
  const outputOf = (urls: readonly string[]) => ({ nats_kv: { urls, bucket, key: '${! json("n") }' } });
  return streamDestination(`KV_${bucket}`, outputOf, async (client) => {
    await new Kvm(client).create(bucket, { history: 64 });
  });
}

/** Opens a stream and reads its messages as they arrive. */
async function streamDestination(
  name: string,
  outputOf: (urls: readonly string[]) => object,
  create: (client: NatsConnection) => Promise<void>,
): Promise<Destination> {
  const place = { port: await freePort(), directory: temporaryDirectory("nats") };
  const proxy = await startTcpProxy(place.port);
  let broker = await startNats(place);
  const client = await connect({ servers: broker.address, maxReconnectAttempts: -1, reconnectTimeWait: 100 });
  await create(client);
  const manager = await jetstreamManager(client, { timeout: patience });
  const ledger = new Ledger();
  let last = 0;
  // An ordered consumer restarts automatically if it misses messages, for example after a restart of the server.
  const consumer = await jetstream(client).consumers.get(name);
  // It notices that after three heartbeats.
  const messages = await consumer.consume({ idle_heartbeat: 1000 });
  const reading = (async () => {
    for await (const message of messages) {
      if (message.seq <= last) continue;
      last = message.seq;
      ledger.add(numberOf(message.string()));
    }
  })();
  return {
    output: outputOf([`nats://127.0.0.1:${proxy.port}`]),
    ledger,
    async settle() {
      const ask = async () => (await manager.streams.info(name)).state.last_seq;
      const end = await until(async () => ({ last: await ask() }), { timeout: patience, what: "the stream" });
      await until(() => last >= end.last, { timeout: patience, what: "the destination to be read" });
    },
    proxy,
    async restart() {
      await broker.stop();
      broker = await startNats(place);
    },
    async close() {
      await messages.close();
      await reading;
      await client.close();
      await broker.stop();
      await proxy.close();
    },
  };
}
