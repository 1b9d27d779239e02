import type { Kafka } from "kafkajs";
import { pause } from "../../concurrency/backoff.ts";
import { kafkaErrorType } from "./client.ts";

/**
 * Asks the brokers for the rights of the current user, without using them (KIP-430, which kafkajs does not support).
 */
export interface Rights {
  /**
   * Returns Kafka's names of the operations that are allowed; `undefined` if the brokers are too old to report them.
   */
  ofTopic(name: string): Promise<ReadonlySet<string> | undefined>;
  /** Retries while the coordinator of the group is not ready, until aborted. */
  ofGroup(id: string, signal: AbortSignal): Promise<ReadonlySet<string> | undefined>;
  close(): Promise<void>;
}

/**
 * The parts of kafkajs that its types leave out; `test/embed/connections/kafka.kafka.test.ts` checks that they exist.
 */
interface Cluster {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  metadata(about: { topics: readonly string[] }): Promise<unknown>;
  findControllerBroker(): Promise<Broker>;
  findBroker(broker: { nodeId: number }): Promise<Broker>;
}

interface Broker {
  readonly versions: Readonly<Record<number, { readonly maxVersion: number }>> | null;
  findGroupCoordinator(group: Group): Promise<{ readonly coordinator: { readonly nodeId: number } }>;
  readonly connectionPool: { send(exchange: Exchange<unknown>): Promise<unknown> };
}

interface Group {
  readonly groupId: string;
  readonly coordinatorType: number;
}

interface Exchange<T> {
  readonly request: {
    readonly apiKey: number;
    readonly apiVersion: number;
    readonly apiName: string;
    encode(): Promise<{ buf: Buffer; buffer: Buffer }>;
  };
  readonly response: { decode(answer: Buffer): Promise<T>; parse(decoded: T): Promise<T> };
}

/** Operations by their number in the Kafka protocol. */
const operations = new Map([
  [3, "Read"],
  [4, "Write"],
  [5, "Create"],
  [8, "Describe"],
]);

/** Connects; rejects with the errors of kafkajs. */
export async function askRights(kafka: Kafka): Promise<Rights> {
  const cluster = createCluster(kafka);
  await cluster?.connect();
  await cluster?.metadata({ topics: [] }); // without it, kafkajs finds no broker
  return {
    async ofTopic(name) {
      const broker = await cluster?.findControllerBroker();
      return ask(
        broker,
        { apiKey: 3, apiVersion: 8, apiName: "Metadata" },
        topicRequest(name),
        readTopicRights,
      );
    },
    ofGroup: (id, signal) =>
      untilReady(signal, async () => {
        // Asks a broker directly: the lookup of kafkajs hides the reason for a failure.
        const anyone = await cluster?.findControllerBroker();
        const found = await anyone?.findGroupCoordinator({ groupId: id, coordinatorType: 0 });
        const broker = found && (await cluster?.findBroker(found.coordinator));
        const api = { apiKey: 15, apiVersion: 3, apiName: "DescribeGroups" };
        return ask(broker, api, groupRequest(id), readGroupRights);
      }),
    close: async () => cluster?.disconnect(),
  };
}

/** Errors that brokers return shortly after their start, or while groups move. */
const passing = new Set([
  "GROUP_LOAD_IN_PROGRESS",
  "GROUP_COORDINATOR_NOT_AVAILABLE",
  "NOT_COORDINATOR_FOR_GROUP",
]);

async function untilReady<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted || !passing.has(kafkaErrorType(error) ?? "")) throw error;
      await pause(200, signal);
    }
  }
}

/**
 * Returns a private cluster of the client;
 * `undefined` if this version of kafkajs does not have it under the known name.
 */
function createCluster(kafka: Kafka): Cluster | undefined {
  const symbol = Object.getOwnPropertySymbols(kafka).find(
    ({ description }) => description === "private:Kafka:createCluster",
  );
  if (symbol === undefined) return undefined;
  // The types of kafkajs leave out private members.
  const create = Reflect.get(kafka, symbol) as (options: { allowAutoTopicCreation: boolean }) => Cluster;
  return create({ allowAutoTopicCreation: false });
}

async function ask(
  broker: Broker | undefined,
  api: { readonly apiKey: number; readonly apiVersion: number; readonly apiName: string },
  body: Buffer,
  read: (answer: ProtocolReader) => number,
): Promise<ReadonlySet<string> | undefined> {
  if (broker === undefined || (broker.versions?.[api.apiKey]?.maxVersion ?? 0) < api.apiVersion)
    return undefined;
  const bits = await broker.connectionPool.send({
    request: { ...api, encode: async () => ({ buf: body, buffer: body }) },
    response: {
      decode: async (answer) => read(new ProtocolReader(answer)),
      parse: async (decoded) => decoded,
    },
  });
  return namesOf(Number(bits));
}

function namesOf(bits: number): ReadonlySet<string> {
  return new Set([...operations].flatMap(([bit, name]) => ((bits >> bit) & 1 ? [name] : [])));
}

/** Encodes a request for one topic that must not be created: without the cluster's rights, with the topic's rights. */
function topicRequest(name: string): Buffer {
  return Buffer.concat([listOfOne(name), Buffer.from([0, 0, 1])]);
}

/** Encodes a request for one group, with the rights to it. */
function groupRequest(id: string): Buffer {
  return Buffer.concat([listOfOne(id), Buffer.from([1])]);
}

function listOfOne(text: string): Buffer {
  const bytes = Buffer.from(text);
  const head = Buffer.alloc(6);
  head.writeInt32BE(1, 0);
  head.writeInt16BE(bytes.length, 4);
  return Buffer.concat([head, bytes]);
}

/** Reads the rights to the only topic of a Metadata response, version 8. */
function readTopicRights(answer: ProtocolReader): number {
  answer.int32(); // throttling
  answer.list(() => [answer.int32(), answer.text(), answer.int32(), answer.text()]); // brokers
  answer.text(); // id of the cluster
  answer.int32(); // controller
  const [rights = 0] = answer.list(() => {
    answer.checkError();
    answer.text();
    answer.int8(); // internal
    answer.list(() => {
      answer.int16(); // error of the partition, such as a missing leader: irrelevant for rights
      for (let field = 0; field < 3; field++) answer.int32(); // partition, leader, epoch
      for (let field = 0; field < 3; field++) answer.list(() => answer.int32()); // replicas
    });
    return answer.int32();
  });
  return rights;
}

/** Reads the rights to the only group of a DescribeGroups response, version 3. */
function readGroupRights(answer: ProtocolReader): number {
  answer.int32(); // throttling
  const [rights = 0] = answer.list(() => {
    answer.checkError();
    for (let field = 0; field < 4; field++) answer.text(); // group, state, protocol type, protocol
    answer.list(() => {
      for (let field = 0; field < 3; field++) answer.text(); // member, client, host
      answer.bytes(); // subscription
      answer.bytes(); // assignment
    });
    return answer.int32();
  });
  return rights;
}

/** An error code in a response, with Kafka's name for it if the code is expected. */
class AnswerError extends Error {
  readonly type: string;

  constructor(code: number) {
    const type = names.get(code) ?? `error ${code}`;
    super(type);
    this.type = type;
  }
}

const names = new Map([
  [3, "UNKNOWN_TOPIC_OR_PARTITION"],
  [14, "GROUP_LOAD_IN_PROGRESS"],
  [15, "GROUP_COORDINATOR_NOT_AVAILABLE"],
  [16, "NOT_COORDINATOR_FOR_GROUP"],
  [29, "TOPIC_AUTHORIZATION_FAILED"],
  [30, "GROUP_AUTHORIZATION_FAILED"],
]);

/** Reads a response of the Kafka protocol, field by field, in the encoding before flexible versions. */
class ProtocolReader {
  readonly #answer: Buffer;
  #offset = 0;

  constructor(answer: Buffer) {
    this.#answer = answer;
  }

  int8(): number {
    return this.#answer.readInt8(this.#skip(1));
  }

  int16(): number {
    return this.#answer.readInt16BE(this.#skip(2));
  }

  int32(): number {
    return this.#answer.readInt32BE(this.#skip(4));
  }

  /** Returns `undefined` for a null string. */
  text(): string | undefined {
    const length = this.int16();
    if (length < 0) return undefined;
    const start = this.#skip(length);
    return this.#answer.toString("utf8", start, start + length);
  }

  bytes(): Buffer | undefined {
    const length = this.int32();
    if (length < 0) return undefined;
    const start = this.#skip(length);
    return this.#answer.subarray(start, start + length);
  }

  /** Reads as many values as the length of the list says. */
  list<T>(read: () => T): T[] {
    return Array.from({ length: Math.max(0, this.int32()) }, read);
  }

  /** Throws an `AnswerError` if the response has an error code at this position. */
  checkError(): void {
    const code = this.int16();
    if (code !== 0) throw new AnswerError(code);
  }

  #skip(length: number): number {
    const start = this.#offset;
    this.#offset += length;
    return start;
  }
}
