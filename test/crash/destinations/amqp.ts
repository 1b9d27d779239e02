import type { Channel, ChannelModel, ConsumeMessage } from "amqplib";
import { startRabbitmq } from "../../harness/brokers/rabbitmq.ts";
import { temporaryDirectory } from "../../harness/directories.ts";
import { freePort } from "../../harness/ports.ts";
import { connectRabbitmq } from "../../harness/rabbitmq-client.ts";
import { startTcpProxy } from "../../harness/tcp-proxy.ts";
import { until } from "../../harness/wait.ts";
import type { Destination } from "../destination.ts";
import { Ledger } from "../ledger.ts";
import { numberOf } from "../source.ts";

const queue = "arrivals";
const patience = 180_000;

/** A durable queue of RabbitMQ, written with AMQP 0.9.1. */
export function amqpDestination(): Promise<Destination> {
  return queueDestination("reportsMissingQueue", (port) => ({
    amqp_0_9: {
      urls: [`amqp://127.0.0.1:${port}`],
      exchange: "",
      key: queue,
      persistent: true,
      mandatory: true,
    },
  }));
}

/** The same queue, written with AMQP 1.0. */
export function amqp1Destination(): Promise<Destination> {
  return queueDestination("needsQueue", (port) => ({
    amqp_1: { urls: [`amqp://guest:guest@127.0.0.1:${port}`], target_address: `/amq/queue/${queue}` },
  }));
}

/**
 * `needsQueue`: whether RabbitMQ would confirm messages to this output, and drop them, for the moment after its start in
 * which it has no such queue yet.
 */
async function queueDestination(
  kind: "reportsMissingQueue" | "needsQueue",
  outputOf: (port: number) => object,
): Promise<Destination> {
  const place = { port: await freePort(), directory: temporaryDirectory("rabbitmq") };
  const proxy = await startTcpProxy(place.port);
  let broker = await startRabbitmq(place);
  const ledger = new Ledger();
  const log = new QueueLog(ledger);
  await log.open(broker.address);
  return {
    output: outputOf(proxy.port),
    ledger,
    settle: () => log.settle(),
    proxy,
    async restart() {
      await log.close();
      await broker.stop();
      if (kind === "needsQueue") proxy.hold();
      broker = await startRabbitmq(place);
      await log.open(broker.address);
      proxy.release();
    },
    async close() {
      await log.close();
      await broker.stop();
      await proxy.close();
    },
  };
}

/**
 * Reads a queue that keeps messages after they are read, each at its own offset (a "stream" of RabbitMQ). A reader that
 * reconnects therefore recognises messages that it has already counted.
 */
class QueueLog {
  readonly #ledger: Ledger;
  #connection: ChannelModel | undefined;
  #next = 0;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** Retries until the queue is available: a queue is not available immediately after a restart. */
  async open(address: string): Promise<void> {
    this.#connection = await until(() => this.#read(address), { timeout: patience, what: "the queue" });
  }

  async #read(address: string): Promise<ChannelModel> {
    const connection = await connectRabbitmq(address);
    try {
      const channel = await connection.createChannel();
      channel.on("error", () => undefined);
      await channel.assertQueue(queue, { durable: true, arguments: { "x-queue-type": "stream" } });
      await channel.prefetch(1000);
      const from = { arguments: { "x-stream-offset": this.#next } };
      await channel.consume(queue, (message) => message && this.#take(message, channel), from);
      return connection;
    } catch (error) {
      await connection.close().catch(() => undefined); // it may be closed already
      throw error;
    }
  }

  #take(message: ConsumeMessage, channel: Channel): void {
    channel.ack(message);
    const offset = Number(message.properties.headers?.["x-stream-offset"]);
    // Reading starts with the chunk that contains the offset.
    if (offset < this.#next) return;
    this.#next = offset + 1;
    this.#ledger.add(numberOf(message.content.toString()));
  }

  /** Resolves when all messages that the queue has now were read. */
  async settle(): Promise<void> {
    const connection = this.#connection;
    if (connection === undefined) throw new Error("the queue is not read");
    const channel = await connection.createChannel();
    const { messageCount } = await channel.checkQueue(queue);
    await channel.close();
    await until(() => this.#next >= messageCount, { timeout: patience, what: "the destination to be read" });
  }

  async close(): Promise<void> {
    await this.#connection?.close();
    this.#connection = undefined;
  }
}
