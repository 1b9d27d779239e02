import { randomUUID } from "node:crypto";
import { createBackoff, pause } from "../../backoff.ts";
import { splitCommas } from "../../commas.ts";
import type { Input, InputContext } from "../../component.ts";
import { createRedelivery } from "../../redelivery.ts";
import { Assignment } from "./assignment.ts";
import { createKafka, reasonOf } from "./client.ts";
import { type KafkaInputOptions, kafkaInputDefaults } from "./generated/input-options.ts";
import { type GroupSession, joinGroup } from "./group.ts";

const reconnectPauses = { first: 500, longest: 30_000 };

/**
 * Reads records of Kafka topics. Each record is one delivery, handed over in the order of its partition;
 * the offsets committed never pass a record that is not confirmed. Without `consumer_group` nothing is
 * committed and all partitions are read from where `start_from_oldest` says.
 */
export function kafkaInput(options: KafkaInputOptions): Input {
  let reading: Reading | undefined;
  return {
    async start(context) {
      reading = new Reading({ ...kafkaInputDefaults, ...options }, context);
      await reading.start();
    },
    async close() {
      await reading?.close();
    },
  };
}

type Settings = KafkaInputOptions & Required<Pick<KafkaInputOptions, keyof typeof kafkaInputDefaults>>;

/** One input from `start` to `close`. */
class Reading {
  readonly #settings: Settings;
  readonly #context: InputContext;
  readonly #groupId: string;
  readonly #assignment: Assignment;
  readonly #closing = new AbortController();
  #session: GroupSession | undefined;
  #background: Promise<unknown> = Promise.resolve();
  #closed: Promise<void> | undefined;
  #commitFails = false;

  constructor(settings: Settings, context: InputContext) {
    this.#settings = settings;
    this.#context = context;
    this.#groupId = settings.consumer_group || `sluice-${randomUUID()}`;
    const redelivery = createRedelivery(context);
    this.#assignment = new Assignment({
      checkpointLimit: settings.checkpoint_limit,
      exclusive: settings.consumer_group === "",
      deliver: async (message, abandon) => (await redelivery.deliver([message], abandon)) !== undefined,
    });
  }

  async start(): Promise<void> {
    await this.#join();
    if (this.#settings.consumer_group !== "") this.#background = this.#commitPeriodically();
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#closing.abort();
    const drained = this.#assignment.drain();
    this.#session?.pauseAll(); // heartbeats go on while deliveries end
    await drained;
    await this.#background;
    await this.#commit();
    await this.#session?.close();
  }

  async #join(): Promise<void> {
    const { log } = this.#context;
    const { topics, start_from_oldest: fromBeginning } = this.#settings;
    const options = { groupId: this.#groupId, topics: topics.flatMap(splitCommas), fromBeginning };
    const session = await joinGroup(createKafka(this.#settings, log), options, {
      joined: (joined, memberId, partitions) => {
        this.#context.reportConnection?.(undefined);
        log.info("reading from Kafka", { partitions });
        this.#assignment.assign(joined, memberId, partitions);
      },
      fetched: (batch) => {
        if (!this.#closing.signal.aborted) this.#assignment.take(batch);
      },
      rebalancing: (current) => {
        log.info("the group assigns its partitions anew");
        void this.#commit(current);
      },
      lost: (error) => {
        this.#session = undefined;
        if (this.#closing.signal.aborted) return;
        this.#context.reportConnection?.("the connection to Kafka is lost");
        log.warn("Kafka is lost, joining again", { reason: reasonOf(error) });
        this.#background = Promise.all([this.#background, this.#joinAgain()]);
      },
    });
    this.#session = session;
    if (this.#closing.signal.aborted) await session.close();
  }

  async #joinAgain(): Promise<void> {
    const backoff = createBackoff(reconnectPauses);
    while (!this.#closing.signal.aborted) {
      await pause(backoff.next(), this.#closing.signal);
      if (this.#closing.signal.aborted) return;
      try {
        await this.#join();
        return;
      } catch (error) {
        this.#context.log.warn("Kafka cannot be joined yet", { reason: reasonOf(error) });
      }
    }
  }

  async #commitPeriodically(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      await pause(this.#settings.commit_period, this.#closing.signal);
      await this.#commit();
    }
  }

  /** Commits what is confirmed. A failure costs nothing but a later repetition: the next commit says more. */
  async #commit(session = this.#session): Promise<void> {
    if (session === undefined || this.#settings.consumer_group === "") return;
    const offsets = this.#assignment.uncommitted();
    if (offsets.length === 0) return;
    try {
      await session.commit(offsets);
      this.#assignment.noteCommitted(offsets);
      this.#commitFails = false;
    } catch (error) {
      if (!this.#commitFails) this.#context.log.warn("offsets not committed", { reason: reasonOf(error) });
      this.#commitFails = true;
    }
  }
}
