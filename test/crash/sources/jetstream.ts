import { type ConsumerInfo, jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { startNats } from "../../harness/brokers/nats.ts";
import { temporaryDirectory } from "../../harness/directories.ts";
import { freePort } from "../../harness/ports.ts";
import { startTcpProxy } from "../../harness/tcp-proxy.ts";
import { until } from "../../harness/wait.ts";
import { chunksOf, type Source } from "../source.ts";

const maxAckPending = 64;
const [stream, subject, durable] = ["numbers", "numbers.all", "gateway"];

/** A file-based stream, read through a durable consumer. */
export async function jetstreamSource(): Promise<Source> {
  const place = { port: await freePort(), directory: temporaryDirectory("nats") };
  const proxy = await startTcpProxy(place.port);
  let broker = await startNats(place);
  const client = await connect({ servers: broker.address, maxReconnectAttempts: -1, reconnectTimeWait: 100 });
  const manager = await jetstreamManager(client, { timeout: 30_000 });
  await manager.streams.add({ name: stream, subjects: [subject] });

  const unsettled = ({ num_pending, num_ack_pending }: ConsumerInfo) => num_pending + num_ack_pending;
  const info = () => manager.consumers.info(stream, durable);
  const count = async () => unsettled(await info());
  /**
   * Waits until the server has processed the acknowledgements, which it reads late, and returns the number of messages
   * left.
   */
  async function remaining(): Promise<number> {
    await until(async () => (await count()) === 0, { timeout: 10_000 }).catch(() => undefined);
    return count();
  }
  return {
    input: {
      nats_jetstream: {
        urls: [`nats://127.0.0.1:${proxy.port}`],
        stream,
        subject,
        durable,
        deliver: "all",
        ack_wait: "5s",
        max_ack_pending: maxAckPending,
      },
    },
    inFlight: maxAckPending,
    async fill(range) {
      const context = jetstream(client, { timeout: 120_000 });
      for (const chunk of chunksOf(range, 500)) {
        await Promise.all(chunk.map((message) => context.publish(subject, message)));
      }
    },
    remaining,
    // Messages that a killed gateway had taken are redelivered after `ack_wait`.
    async givenAgain() {
      await until(async () => (await count()) === 0, { timeout: 180_000 }).catch(() => undefined);
    },
    state: info,
    cut: () => proxy.reset(),
    async restart() {
      await broker.stop();
      broker = await startNats(place);
    },
    async close() {
      await client.close();
      await broker.stop();
      await proxy.close();
    },
  };
}
