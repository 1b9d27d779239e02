import kafkajs, { type Admin, type PartitionMetadata } from "kafkajs";
import { kafkaErrorType } from "./client.ts";
import type { Partitioner } from "./partitioner.ts";

/** How missing topics are created; -1 means the default of the broker. */
export interface TopicCreation {
  readonly partitions: number;
  readonly replication_factor: number;
}

/** Creates topics that are missing. */
export interface TopicCreator {
  readonly admin: Pick<Admin, "fetchTopicMetadata" | "createTopics">;
  readonly creation: TopicCreation;
}

/** The settings for topic lookups. */
export interface TopicSettings {
  /** Looks up a topic, which lets a broker that creates topics automatically create it; resolves with its partitions. */
  meet(topic: string): Promise<readonly PartitionMetadata[]>;
  /** Set if missing topics are created. */
  readonly creator: TopicCreator | undefined;
  createPartitioner(): Partitioner;
  /** Retries `work` until it succeeds or is given up. */
  persist<T>(work: () => Promise<T>): Promise<T>;
}

/** A topic that is written to. */
export interface Topic {
  readonly name: string;
  readonly partitioner: Partitioner;
  /** The leader of each partition. The map is replaced whenever the client gets new metadata. */
  leaders: ReadonlyMap<number, number>;
}

/** A caller that waits for a topic. */
interface Asking {
  resolve(topic: Topic): void;
  reject(error: unknown): void;
}

/** Number of topics whose partitions are kept; a computed topic may have any number of names. */
const mostTopics = 10_000;

/** Knows the topics that are written to, and which broker leads each of their partitions. */
export class Topics {
  readonly #settings: TopicSettings;
  readonly #known = new Map<string, Topic>();
  readonly #asking = new Map<string, Asking[]>();
  readonly #seen = new WeakSet<readonly PartitionMetadata[]>();

  constructor(settings: TopicSettings) {
    this.#settings = settings;
  }

  /**
   * Calls `resolve` immediately if the topic is known. Otherwise looks it up, creates it if that is configured, and
   * calls `resolve` or `reject`. Callers are answered in the order of their calls, without a turn of the event loop
   * in between, because messages are written in that order.
   */
  ask(name: string, resolve: Asking["resolve"], reject: Asking["reject"]): void {
    const asking = this.#asking.get(name);
    const known = this.#known.get(name);
    if (asking !== undefined) asking.push({ resolve, reject });
    else if (known !== undefined) resolve(known);
    else {
      this.#asking.set(name, [{ resolve, reject }]);
      void this.#answer(name);
    }
  }

  /** Returns a topic for which `ask` would call `resolve` immediately. */
  known(name: string): Topic | undefined {
    return this.#asking.has(name) ? undefined : this.#known.get(name);
  }

  /**
   * Looks up a known topic again, because it may have more partitions now, and calls `resolve` or `reject`. Callers that ask
   * for the topic meanwhile are answered afterwards, so that no later message overtakes the one that is looked up for.
   */
  renew(topic: Topic, resolve: Asking["resolve"], reject: Asking["reject"]): void {
    const asking = this.#asking.get(topic.name);
    if (asking !== undefined) asking.push({ resolve, reject });
    else {
      this.#asking.set(topic.name, []);
      void this.#refresh(topic, { resolve, reject });
    }
  }

  async #refresh(topic: Topic, first: Asking): Promise<void> {
    let answer = () => first.resolve(topic);
    try {
      topic.leaders = leadersOf(await this.#settings.meet(topic.name));
    } catch (error) {
      answer = () => first.reject(error);
    }
    const asking = this.#asking.get(topic.name) ?? [];
    this.#asking.delete(topic.name);
    answer();
    for (const { resolve } of asking) resolve(topic);
  }

  /** Records the metadata of the client, which the client refreshes from time to time and after failures. */
  note(name: string, partitions: readonly PartitionMetadata[]): void {
    const topic = this.#known.get(name);
    if (topic === undefined || partitions.length === 0 || this.#seen.has(partitions)) return;
    this.#seen.add(partitions);
    topic.leaders = leadersOf(partitions);
  }

  /** Returns the last known leader of a partition; -1 if it is unknown. */
  leaderOf(name: string, partition: number): number {
    return this.#known.get(name)?.leaders.get(partition) ?? -1;
  }

  async #answer(name: string): Promise<void> {
    let answer: (asking: Asking) => void;
    try {
      const topic = await this.#settings.persist(() => this.#load(name));
      this.#remember(topic);
      answer = ({ resolve }) => resolve(topic);
    } catch (error) {
      answer = ({ reject }) => reject(error);
    }
    const asking = this.#asking.get(name) ?? [];
    this.#asking.delete(name);
    for (const each of asking) answer(each);
  }

  /** Replaces the oldest topic if there are too many. A removed topic is looked up again for its next message. */
  #remember(topic: Topic): void {
    const [oldest] = this.#known.keys();
    if (oldest !== undefined && this.#known.size >= mostTopics) this.#known.delete(oldest);
    this.#known.set(topic.name, topic);
  }

  async #load(name: string): Promise<Topic> {
    const { creator, meet, createPartitioner } = this.#settings;
    if (creator !== undefined && !(await exists(name, creator))) await create(name, creator);
    return { name, leaders: leadersOf(await meet(name)), partitioner: createPartitioner() };
  }
}

async function exists(name: string, { admin }: TopicCreator): Promise<boolean> {
  try {
    const { topics } = await admin.fetchTopicMetadata({ topics: [name] });
    return topics.some((topic) => topic.name === name && topic.partitions.length > 0);
  } catch (error) {
    const kind = kafkaErrorType(error);
    if (kind === "UNKNOWN_TOPIC_OR_PARTITION") return false;
    if (kind === "LEADER_NOT_AVAILABLE") return true; // of one of its partitions
    throw error;
  }
}

async function create(topic: string, { admin, creation }: TopicCreator): Promise<void> {
  const { partitions, replication_factor } = creation;
  try {
    await admin.createTopics({
      waitForLeaders: false, // the client waits when it meets the topic; waiting here fails if metadata lag behind
      topics: [{ topic, numPartitions: partitions, replicationFactor: replication_factor }],
    });
  } catch (error) {
    throw error instanceof kafkajs.KafkaJSAggregateError ? (error.errors[0] ?? error) : error;
  }
}

function leadersOf(partitions: readonly PartitionMetadata[]): ReadonlyMap<number, number> {
  return new Map(partitions.map(({ partitionId, leader }) => [partitionId, leader]));
}
