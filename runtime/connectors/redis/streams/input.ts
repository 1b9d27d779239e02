import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { ComponentContext, Input, InputContext } from "../../../component/component.ts";
import {
  createRedeliveryOfEach,
  type DeliverMessages,
  giveUp,
  withReplay,
} from "../../../component/redelivery.ts";
import { abort } from "../../../concurrency/abort.ts";
import { createBackoff, pause } from "../../../concurrency/backoff.ts";
import { Semaphore } from "../../../concurrency/semaphore.ts";
import { sourceFrom } from "../../../conditions/blockage.ts";
import { unfit } from "../../../grammar/computed-text.ts";
import { Message } from "../../../message/message.ts";
import { createRedisConnection, type RedisConnection } from "../../../resources/redis-client.ts";
import { isRefusal } from "../command.ts";
import { LostReplies } from "../lost-replies.ts";
import { entriesOfRead, isBefore, messageOf, type StreamEntry } from "./entries.ts";
import { type RedisStreamsInputOptions, redisStreamsInputDefaults } from "./generated/input-options.ts";
import { claim, createGroup, keep, lastEntry, leave, type StreamConsumer } from "./group.ts";

/** Largest number of entries that one request acknowledges or keeps. */
const largestRequest = 1_000;

/** The entries of one consumer, from reading to their acknowledgement. */
class ConsumerAcknowledgements {
  readonly #connection: RedisConnection;
  readonly #member: StreamConsumer;
  readonly #log: ComponentContext["log"];
  /** Ids by stream. */
  readonly #underWay = new Map<string, Set<string>>();
  readonly #delivered = new Map<string, Set<string>>();
  #sending: Promise<void> = Promise.resolve();

  constructor(connection: RedisConnection, member: StreamConsumer, log: ComponentContext["log"]) {
    this.#connection = connection;
    this.#member = member;
    this.#log = log;
  }

  /** Records that an entry is in progress; returns false if it already is, or waits for its acknowledgement. */
  begin(stream: string, id: string): boolean {
    if (this.#underWay.get(stream)?.has(id) || this.#delivered.get(stream)?.has(id)) return false;
    setAt(this.#underWay, stream).add(id);
    return true;
  }

  /** Records the outcome of an entry; an undelivered entry stays pending in Redis. */
  end(stream: string, id: string, isDelivered: boolean): void {
    this.#underWay.get(stream)?.delete(id);
    if (isDelivered) setAt(this.#delivered, stream).add(id);
  }

  /** Acknowledges delivered entries. If that fails, the next call acknowledges them. Never rejects. */
  send(): Promise<void> {
    this.#sending = this.#sending.then(() => this.#send());
    return this.#sending;
  }

  async #send(): Promise<void> {
    const { group } = this.#member;
    for (const [stream, delivered] of this.#delivered) {
      for (const ids of pieces([...delivered])) {
        try {
          await this.#connection.ask((redis) => redis.xack(stream, group, ...ids));
          for (const id of ids) delivered.delete(id);
        } catch (error) {
          this.#log.debug("entries cannot be acknowledged yet", { error });
          return;
        }
      }
    }
  }

  /** Prevents other consumers from claiming entries in progress. Never rejects. */
  async keep(): Promise<void> {
    for (const [stream, underWay] of this.#underWay) {
      for (const ids of pieces([...underWay])) {
        try {
          await this.#connection.ask((redis) => keep(redis, stream, this.#member, ids));
        } catch (error) {
          this.#log.debug("entries cannot be kept", { error });
          return;
        }
      }
    }
  }
}

function setAt(sets: Map<string, Set<string>>, name: string): Set<string> {
  const set = sets.get(name) ?? new Set();
  sets.set(name, set);
  return set;
}

function* pieces(ids: readonly string[]): Generator<readonly string[]> {
  for (let start = 0; start < ids.length; start += largestRequest)
    yield ids.slice(start, start + largestRequest);
}

/** Largest number of entries in progress. */
const inFlightLimit = 1024;

/** Milliseconds that one request may block its connection. A close waits for the end of the request. */
const longestWait = 1_000;

const retryPauses = { first: 100, longest: 5_000 };

/** Milliseconds after which failed acknowledgements are sent again, if there is no `commit_period`. */
const acknowledgeAgain = 1_000;

const sourceOf = /* @__PURE__ */ sourceFrom({ id: "redis_stream" });

/**
 * Reads streams as a consumer of a group. Entries stay pending in Redis until they are delivered. A consumer with a
 * fixed name begins with its pending entries at its next start; other consumers claim them once they have been idle
 * long enough.
 */
export function redisStreamsInput(options: RedisStreamsInputOptions): Input {
  const settings = { ...redisStreamsInputDefaults, ...options };
  let reading: Reading | undefined;
  return {
    ...(!settings.start_from_oldest && { prepare: (context) => prepare(settings, context) }),
    async start(context) {
      const opened = new Reading(settings, context);
      await opened.start();
      reading = opened;
    },
    async close() {
      await reading?.close();
    },
  };
}

type Settings = RedisStreamsInputOptions &
  Required<Pick<RedisStreamsInputOptions, keyof typeof redisStreamsInputDefaults>>;

/** Creates the groups: from then on, Redis keeps entries for them, even without a reader. */
async function prepare(settings: Settings, context: ComponentContext): Promise<void> {
  const connection = createRedisConnection(settings);
  try {
    await connection.start(context);
    await createGroups(connection, settings, new Map());
  } finally {
    await connection.close();
  }
}

/** Creates the groups that do not exist. `positions` has where each starts. */
async function createGroups(
  connection: RedisConnection,
  { streams, consumer_group: group, create_streams: createsStreams, start_from_oldest: isOldest }: Settings,
  positions: Map<string, string>,
): Promise<void> {
  for (const stream of streams) {
    const from = isOldest ? "0" : await positionIn(connection, stream, positions);
    await createGroup(connection, stream, { group, from, createsStreams });
  }
}

/** Returns the position at which a group that is created now misses no entry since the start of its input. */
async function positionIn(
  connection: RedisConnection,
  stream: string,
  positions: Map<string, string>,
): Promise<string> {
  const last = await lastEntry(connection, stream);
  const position = positions.get(stream) ?? last;
  positions.set(stream, position);
  return isBefore(last, position) ? "0" : position; // lower ids than before belong to a recreated stream
}

/** One run of an input, from `start` to `close`. */
class Reading {
  readonly #settings: Settings;
  readonly #context: InputContext;
  readonly #member: StreamConsumer;
  readonly #closing = new AbortController();
  /**
   * A connection that waits for entries cannot send other commands. In a cluster each stream has one, as streams may
   * be on different nodes.
   */
  readonly #readers: readonly { readonly connection: RedisConnection; readonly streams: readonly string[] }[];
  readonly #control: RedisConnection;
  readonly #acknowledgements: ConsumerAcknowledgements;
  readonly #inFlight: Semaphore;
  readonly #deliverMessages: DeliverMessages;
  /** For each stream, the position at which a group starts if it has to be created. */
  readonly #positions = new Map<string, string>();
  #timers: NodeJS.Timeout[] = [];
  #running: Promise<unknown> | undefined;
  #closed: Promise<void> | undefined;
  #cannotClaim = false;

  constructor(settings: Settings, context: InputContext) {
    const { streams, client_id, consumer_group: group, kind, auto_replay_nacks } = settings;
    this.#settings = settings;
    this.#context = context;
    const consumer = client_id === "" ? `sluice-${hostname()}-${randomUUID().slice(0, 8)}` : client_id;
    this.#member = { group, consumer };
    const groups = kind === "cluster" ? streams.map((stream) => [stream]) : [streams];
    this.#readers = groups.map((each) => ({
      connection: createRedisConnection(settings, { answerTime: longestWait + 5_000 }),
      streams: each,
    }));
    this.#control = createRedisConnection(settings);
    this.#inFlight = new Semaphore(inFlightLimit, context.collectors);
    this.#acknowledgements = new ConsumerAcknowledgements(this.#control, this.#member, context.log);
    this.#deliverMessages = createRedeliveryOfEach(withReplay(context, auto_replay_nacks), sourceOf);
  }

  async start(): Promise<void> {
    const { beginOutage: _, ...silent } = this.#context; // only one of the connections reports an outage
    try {
      await this.#control.start(this.#context);
      for (const { connection } of this.#readers) await connection.start(silent);
      await createGroups(this.#control, this.#settings, this.#positions);
    } catch (error) {
      await this.#disconnect();
      throw error;
    }
    const { commit_period, claim_idle } = this.#settings;
    this.#every(commit_period > 0 ? commit_period : acknowledgeAgain, () => this.#acknowledgements.send());
    if (claim_idle > 0) {
      this.#every(claim_idle / 3, () => this.#acknowledgements.keep());
      this.#every(claim_idle / 2, () => this.#claim());
    }
    this.#running = Promise.all(
      this.#readers.map(({ connection, streams }) => this.#read(connection, streams)),
    );
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    abort(this.#closing);
    await this.#running;
    await this.#inFlight.idle();
    for (const timer of this.#timers) clearInterval(timer);
    await this.#acknowledgements.send();
    if (this.#settings.client_id === "") await this.#leave();
    await this.#disconnect();
  }

  async #disconnect(): Promise<void> {
    await Promise.all(
      [this.#control, ...this.#readers.map(({ connection }) => connection)].map((each) => each.close()),
    );
  }

  /** Removes a consumer with a random name, which would otherwise stay in the group forever. */
  async #leave(): Promise<void> {
    for (const stream of this.#settings.streams) {
      try {
        await this.#control.ask((redis) => leave(redis, stream, this.#member));
      } catch (error) {
        this.#context.log.debug("the consumer stays in its group", { error });
      }
    }
  }

  #every(period: number, work: () => Promise<void>): void {
    let isRunning = false;
    const timer = setInterval(() => {
      if (isRunning) return;
      isRunning = true;
      void work().finally(() => {
        isRunning = false;
      });
    }, period);
    this.#timers.push(timer);
  }

  async #read(connection: RedisConnection, streams: readonly string[]): Promise<void> {
    const backoff = createBackoff(retryPauses);
    const { signal } = this.#closing;
    // Pending entries of this consumer come first, from the oldest on.
    const all = streams.map((stream) => [stream, "0"] as const);
    const backlog = new Map<string, string>();
    // A consumer with a name of its own may have had entries before; a new one has none.
    const lost = new LostReplies(this.#settings.client_id !== "");
    while (!signal.aborted) {
      try {
        // Redis may have assigned entries to this consumer in a reply that was lost.
        if (lost.areDue) {
          for (const [stream, first] of all) backlog.set(stream, first);
          lost.looked();
        }
        const [behind] = backlog;
        const entries =
          behind === undefined
            ? await this.#ask(
                connection,
                streams,
                streams.map(() => ">"),
              )
            : await this.#ask(connection, [behind[0]], [behind[1]]);
        const last = entries.at(-1);
        if (behind !== undefined && last === undefined) backlog.delete(behind[0]);
        else if (behind !== undefined && last !== undefined) backlog.set(behind[0], last.id);
        if (behind === undefined) for (const { stream, id } of entries) this.#positions.set(stream, id);
        await this.#take(entries);
        backoff.reset();
      } catch (error) {
        if (signal.aborted) return;
        lost.note();
        await this.#repair(error);
        await pause(backoff.next(), signal);
      }
    }
  }

  async #ask(
    connection: RedisConnection,
    streams: readonly string[],
    positions: readonly string[],
  ): Promise<readonly StreamEntry[]> {
    const { limit, timeout } = this.#settings;
    const { group, consumer } = this.#member;
    const wait = Math.max(1, Math.min(timeout || longestWait, longestWait));
    const how = ["COUNT", limit, "BLOCK", wait, "STREAMS", ...streams, ...positions];
    const reply = await connection.ask((redis) =>
      redis.callBuffer("XREADGROUP", "GROUP", group, consumer, ...how),
    );
    return entriesOfRead(reply);
  }

  /** Creates the groups again if they are gone, for example with a deleted stream. */
  async #repair(error: unknown): Promise<void> {
    if (!isRefusal(error, "NOGROUP")) return this.#context.log.debug("the streams cannot be read", { error });
    this.#context.log.warn("the consumer group no longer exists, creating it again");
    try {
      await createGroups(this.#control, this.#settings, this.#positions);
    } catch (failure) {
      this.#context.log.warn("the consumer group cannot be created", { error: failure });
    }
  }

  /** Claims entries that other consumers left pending. */
  async #claim(): Promise<void> {
    const { streams, claim_idle: idle, limit: count } = this.#settings;
    for (const stream of streams) {
      if (this.#cannotClaim || this.#closing.signal.aborted) return;
      try {
        await this.#take(
          await this.#control.ask((redis) => claim(redis, stream, this.#member, { idle, count })),
        );
      } catch (error) {
        this.#cannotClaim = isRefusal(error, "ERR unknown command");
        if (this.#cannotClaim) {
          this.#context.log.warn("Redis before 6.2 cannot transfer entries of lost consumers");
        } else this.#context.log.debug("no entries can be taken over", { error });
      }
    }
  }

  /** Starts the delivery of entries as soon as there is room; those that there is room for together. */
  async #take(entries: readonly StreamEntry[]): Promise<void> {
    let run: StreamEntry[] = [];
    for (const entry of entries) {
      if (!this.#acknowledgements.begin(entry.stream, entry.id)) continue;
      const room = this.#inFlight.acquire();
      if (room !== undefined) {
        this.#deliver(run);
        run = [];
        await room;
      }
      run.push(entry);
    }
    this.#deliver(run);
  }

  #deliver(entries: readonly StreamEntry[]): void {
    const withContent: StreamEntry[] = [];
    const messages: Message[] = [];
    for (const entry of entries) {
      const message = entry.fields === null ? undefined : messageOf(entry, this.#settings.body_key);
      if (this.#closing.signal.aborted) void this.#end(entry, false);
      else if (message === undefined) void this.#giveUp(entry).then((isDone) => this.#end(entry, isDone));
      else {
        withContent.push(entry);
        messages.push(message);
      }
    }
    if (messages.length === 0) return;
    this.#deliverMessages(messages, this.#closing.signal, (index, isDelivered) => {
      const entry = withContent[index];
      if (entry !== undefined) void this.#end(entry, isDelivered);
    });
  }

  /** Settles an entry after its delivery; never rejects. */
  async #end({ stream, id }: StreamEntry, isDelivered: boolean): Promise<void> {
    this.#acknowledgements.end(stream, id, isDelivered);
    if (isDelivered && this.#settings.commit_period <= 0) await this.#acknowledgements.send();
    this.#inFlight.release();
  }

  /** Gives up an entry without content. Returns whether it may be acknowledged; never rejects. */
  async #giveUp({ id, fields }: StreamEntry): Promise<boolean> {
    if (fields === null) return true; // the entry was deleted; only its pending record is left
    const empty = Message.fromBytes(new Uint8Array(), new Map([["redis_stream", id]]));
    return giveUp(this.#context, [empty], unfit("The entry has no field with the content of a message"));
  }
}
