// Kafka → clients: the records of a partition in one fetch are one write for each client that gets some of them, and
// are committed once these writes have left. `DISTRIBUTION`: each record goes to all clients or to one in turn.

import { Kafka, type KafkaMessage, logLevel } from "kafkajs";
import { type Client, clients, Outgoing, type OutgoingMessage, serveClients } from "./audience.ts";

const { KAFKA_BROKERS = "", IN = "", GROUP = "", DISTRIBUTION = "" } = process.env;
const none = Buffer.alloc(0);
let turn = 0;

function broadcast(partition: number, messages: readonly KafkaMessage[]): ReadonlyMap<Client, Outgoing> {
  // Events have ids, as clients may come back.
  const identified = messages.map(({ value, offset }) => ({
    body: value ?? none,
    id: `${partition}-${offset}`,
  }));
  const outgoing = new Outgoing(identified);
  return new Map([...clients].map((client) => [client, outgoing]));
}

function share(messages: readonly KafkaMessage[]): ReadonlyMap<Client, Outgoing> {
  const rotation = [...clients];
  const shares = new Map<Client, OutgoingMessage[]>();
  for (const { value } of messages) {
    turn = (turn + 1) % rotation.length;
    const client = rotation[turn];
    if (client === undefined) throw new Error("no client is connected");
    const own = shares.get(client);
    if (own === undefined) shares.set(client, [{ body: value ?? none }]);
    else own.push({ body: value ?? none });
  }
  return new Map([...shares].map(([client, own]) => [client, new Outgoing(own)]));
}

/** Resolves when all writes have left the process. */
function send(writes: ReadonlyMap<Client, Outgoing>): Promise<void> {
  return new Promise((resolve) => {
    let left = writes.size;
    const done = () => {
      left -= 1;
      if (left === 0) resolve();
    };
    for (const [client, outgoing] of writes) client.send(outgoing, done);
  });
}

const consumer = new Kafka({
  brokers: KAFKA_BROKERS.split(","),
  logLevel: logLevel.ERROR,
}).consumer({ groupId: GROUP });

/** Reads from the first client on. */
async function read(): Promise<void> {
  await consumer.connect();
  await consumer.subscribe({ topic: IN, fromBeginning: true });
  await consumer.run({
    partitionsConsumedConcurrently: 4,
    eachBatch: async ({ batch: { partition, messages } }) =>
      send(DISTRIBUTION === "broadcast" ? broadcast(partition, messages) : share(messages)),
  });
}

let isReading = false;
serveClients(
  (_request, response) => response.writeHead(404).end(),
  () => {
    if (!isReading) void read();
    isReading = true;
  },
);
