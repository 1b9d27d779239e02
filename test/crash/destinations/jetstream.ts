import { type ConsumerMessages, jetstream, jetstreamManager } from "@nats-io/jetstream";
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
  // A request that is lost with a connection is repeated after this time.
  const manager = await jetstreamManager(client, { timeout: 10_000 });
  const ledger = new Ledger();
  const log = new StreamLog(client, name, ledger);
  await log.open();
  return {
    output: outputOf([`nats://127.0.0.1:${proxy.port}`]),
    ledger,
    async settle() {
      const ask = async () => (await manager.streams.info(name)).state.last_seq;
      const end = await until(async () => ({ last: await ask() }), { timeout: patience, what: "the stream" });
      await until(() => log.last >= end.last, { timeout: patience, what: "the destination to be read" });
    },
    proxy,
    async restart() {
      await log.close();
      await broker.stop();
      broker = await startNats(place);
      await log.open();
    },
    async close() {
      await log.close();
      await client.close();
      await broker.stop();
      await proxy.close();
    },
  };
}

/** Reads a stream from its beginning, and after a restart from where it was: the client would wait for 45 s. */
class StreamLog {
  readonly #client: NatsConnection;
  readonly #stream: string;
  readonly #ledger: Ledger;
  /** The sequence of the last message that was read. */
  last = 0;
  #messages: ConsumerMessages | undefined;
  #reading: Promise<void> | undefined;

  constructor(client: NatsConnection, stream: string, ledger: Ledger) {
    this.#client = client;
    this.#stream = stream;
    this.#ledger = ledger;
  }

  /** Retries until the stream is available: the client reconnects after a restart. */
  async open(): Promise<void> {
    const messages = await until(() => this.#consume(), { timeout: patience, what: "the stream" });
    this.#messages = messages;
    this.#reading = this.#read(messages);
  }

  async #consume(): Promise<ConsumerMessages> {
    const from = { opt_start_seq: this.last + 1 };
    return (await jetstream(this.#client).consumers.get(this.#stream, from)).consume();
  }

  async #read(messages: ConsumerMessages): Promise<void> {
    for await (const message of messages) {
      if (message.seq <= this.last) continue;
      this.last = message.seq;
      this.#ledger.add(numberOf(message.string()));
    }
  }

  async close(): Promise<void> {
    await this.#messages?.close();
    await this.#reading;
  }
}
