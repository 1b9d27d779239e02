import { randomUUID } from "node:crypto";
import { jetstream, jetstreamManager, StorageType } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { nats } from "../../harness/brokers.ts";
import { until } from "../../harness/wait.ts";

/** NATS with JetStream, and another client of it that makes streams and knows what is in them. */
export async function jetstreamPeer() {
  const broker = await nats();
  const peer = await connect({ servers: broker.address });
  const manager = await jetstreamManager(peer);
  const client = jetstream(peer);
  return {
    broker,
    urls: [broker.address],
    peer,
    manager,
    client,

    /** A stream of the test's own, with some messages; it takes all subjects below its name. */
    async newStream(...texts: readonly string[]): Promise<string> {
      const name = `T${randomUUID().replaceAll("-", "")}`;
      await manager.streams.add({ name, subjects: [`${name}.>`], storage: StorageType.File });
      for (const text of texts) await client.publish(`${name}.a`, text);
      return name;
    },

    /** Resolves once the server waits for so many acknowledgements of a consumer. */
    async pendingAcks(stream: string, consumer: string, expected: number): Promise<void> {
      await until(async () => (await manager.consumers.info(stream, consumer)).num_ack_pending === expected, {
        what: `${expected} messages without acknowledgement`,
      });
    },

    async close(): Promise<void> {
      await peer.close();
      await broker.stop();
    },
  };
}
