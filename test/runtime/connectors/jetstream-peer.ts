import { randomUUID } from "node:crypto";
import { jetstream, jetstreamManager, StorageType } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { nats } from "../../harness/brokers.ts";
import { until } from "../../harness/wait.ts";

/** Starts NATS with JetStream and connects a second client, with which tests create and inspect streams. */
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

    /** Creates a stream for one test, with some messages. It stores all subjects below its name. */
    async newStream(...texts: readonly string[]): Promise<string> {
      const name = `T${randomUUID().replaceAll("-", "")}`;
      await manager.streams.add({ name, subjects: [`${name}.>`], storage: StorageType.File });
      for (const text of texts) await client.publish(`${name}.a`, text);
      return name;
    },

    /** Resolves when the server waits for `expected` acknowledgements of a consumer. */
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
