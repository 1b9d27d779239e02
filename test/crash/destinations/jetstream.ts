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

/** Makes a stream and reads its messages as they arrive. */
async function streamDestination(
  name: string,
  outputOf: (urls: readonly string[]) => object,
  create: (client: NatsConnection) => Promise<void>,
): Promise<Destination> {
  const place = { port: await freePort(), directory: temporaryDirectory("nats") };
  const proxy = await startTcpProxy(place.port);
  let broker = await startNats(place);
  const client = await connect({ servers: broker.address });
  await create(client);
  await client.close();
  const ledger = new Ledger();
  const log = new StreamLog(name, ledger);
  await log.open(broker.address);
  return {
    output: outputOf([`nats://127.0.0.1:${proxy.port}`]),
    ledger,
    settle: () => log.settle(),
    proxy,
    async restart() {
      await log.close();
      await broker.stop();
      broker = await startNats(place);
      await log.open(broker.address);
    },
    async close() {
      await log.close();
      await broker.stop();
      await proxy.close();
    },
  };
}

/**
 * Reads a stream from its beginning, and after a restart from where it was, over a new connection: over the old one, the
 * client would wait 45 s for heartbeats of its consumer.
 */
class StreamLog {
  readonly #stream: string;
  readonly #ledger: Ledger;
  #last = 0;
  #client: NatsConnection | undefined;
  #messages: ConsumerMessages | undefined;
  #reading: Promise<void> | undefined;

  constructor(stream: string, ledger: Ledger) {
    this.#stream = stream;
    this.#ledger = ledger;
  }

  async open(address: string): Promise<void> {
    this.#client = await connect({ servers: address });
    const from = { opt_start_seq: this.#last + 1 };
    const consumer = await jetstream(this.#client, { timeout: patience }).consumers.get(this.#stream, from);
    this.#messages = await consumer.consume();
    this.#reading = this.#read(this.#messages);
  }

  async #read(messages: ConsumerMessages): Promise<void> {
    for await (const message of messages) {
      if (message.seq <= this.#last) continue;
      this.#last = message.seq;
      this.#ledger.add(numberOf(message.string()));
    }
  }

  /** Resolves when all messages that the stream has now were read. */
  async settle(): Promise<void> {
    if (this.#client === undefined) throw new Error("the stream is not read");
    const manager = await jetstreamManager(this.#client, { timeout: patience });
    const { state } = await manager.streams.info(this.#stream);
    await until(() => this.#last >= state.last_seq, {
      timeout: patience,
      what: "the destination to be read",
    });
  }

  async close(): Promise<void> {
    await this.#messages?.close();
    await this.#reading;
    await this.#client?.close();
  }
}
