import type { Input, InputContext } from "../../../component/component.ts";
import { createRedelivery, type Redelivery, withReplay } from "../../../component/redelivery.ts";
import { abort } from "../../../concurrency/abort.ts";
import { createBackoff, pause } from "../../../concurrency/backoff.ts";
import { Semaphore } from "../../../concurrency/semaphore.ts";
import { GatewayError } from "../../../errors.ts";
import { Message } from "../../../message/message.ts";
import { createRedisConnection, type RedisConnection } from "../../../resources/redis-client.ts";
import { isRefusal } from "../command.ts";
import { LostReplies } from "../lost-replies.ts";
import { type RedisListInputOptions, redisListInputDefaults } from "./generated/input-options.ts";

/** Number of values that are popped and not delivered yet, if the document sets no limit. */
const usualInFlight = 1024;

/**
 * Milliseconds that one request may block its connection.
 * A close waits for the end of the request, as a value may be arriving.
 */
const longestWait = 1_000;

const retryPauses = { first: 200, longest: 5_000 };

/**
 * Pops values from a list. Redis forgets popped values, so this process holds a value until it is delivered:
 * undelivered values return to their end of the list at the close, and a crash loses them. With `processing_key` a
 * value moves to that list instead, and is removed there once it is delivered.
 */
export function redisListInput(options: RedisListInputOptions): Input {
  let reading: Reading | undefined;
  return {
    async start(context) {
      const opened = new Reading({ ...redisListInputDefaults, ...options }, context);
      await opened.start();
      reading = opened;
    },
    async close() {
      await reading?.close();
    },
  };
}

type Settings = RedisListInputOptions &
  Required<Pick<RedisListInputOptions, keyof typeof redisListInputDefaults>>;

/** One run of an input, from `start` to `close`. */
class Reading {
  readonly #settings: Settings;
  readonly #context: InputContext;
  readonly #closing = new AbortController();
  /** A connection that waits for a value cannot send other commands. */
  readonly #popping: RedisConnection;
  readonly #settling: RedisConnection;
  readonly #inFlight: Semaphore;
  readonly #redelivery: Redelivery;
  /** The number of deliveries in progress for each value, by its bytes. */
  readonly #underWay = new Map<string, number>();
  readonly #lost = new LostReplies(true);
  #running: Promise<void> | undefined;
  #closed: Promise<void> | undefined;

  constructor(settings: Settings, context: InputContext) {
    this.#settings = settings;
    this.#context = context;
    this.#popping = createRedisConnection(settings, { answerTime: longestWait + 5_000 });
    this.#settling = createRedisConnection(settings);
    const { max_in_flight: limit } = settings;
    this.#inFlight = limit > 0 ? new Semaphore(limit) : new Semaphore(usualInFlight, context.collectors);
    this.#redelivery = createRedelivery(withReplay(context, settings.auto_replay_nacks));
  }

  async start(): Promise<void> {
    const { beginOutage: _, ...silent } = this.#context; // only one of the two connections reports an outage
    try {
      await this.#settling.start(silent);
      await this.#popping.start(this.#context);
    } catch (error) {
      await Promise.all([this.#settling.close(), this.#popping.close()]);
      throw error;
    }
    this.#running = this.#read();
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    abort(this.#closing);
    await this.#running;
    await this.#inFlight.idle();
    await Promise.all([this.#popping.close(), this.#settling.close()]);
  }

  async #read(): Promise<void> {
    const backoff = createBackoff(retryPauses);
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        if (this.#lost.areDue) await this.#recover();
        await this.#take();
        backoff.reset();
      } catch (error) {
        this.#lost.note(); // a value may have been moved
        if (signal.aborted) return;
        this.#context.log.debug("the list cannot be read", { error });
        await pause(backoff.next(), signal);
      }
    }
  }

  /** Starts the delivery of the next value, if one arrives in time, as soon as there is room. */
  async #take(): Promise<void> {
    await this.#inFlight.acquire();
    let value: Buffer | null = null;
    try {
      if (!this.#closing.signal.aborted) value = await this.#pop();
    } finally {
      if (value === null) this.#inFlight.release();
    }
    if (value !== null) void this.#deliver(value);
  }

  /** Delivers the values in the processing list that are not in progress. */
  async #recover(): Promise<void> {
    const { processing_key: list } = this.#settings;
    this.#lost.looked();
    if (list === "") return;
    const kept = await this.#settling.ask((redis) => redis.lrangeBuffer(list, 0, -1));
    const known = new Map(this.#underWay);
    for (const value of kept) {
      const key = value.toString("latin1");
      const count = known.get(key) ?? 0;
      if (count > 0) known.set(key, count - 1);
      else {
        await this.#inFlight.acquire();
        if (this.#closing.signal.aborted) return this.#inFlight.release();
        void this.#deliver(value);
      }
    }
  }

  /** Returns the next value; null if none arrived in time. */
  async #pop(): Promise<Buffer | null> {
    const { key, command, processing_key: list, timeout } = this.#settings;
    const seconds = Math.max(1, Math.min(timeout || longestWait, longestWait)) / 1000;
    return this.#popping.ask(async (redis) => {
      if (list !== "") {
        return command === "blpop"
          ? redis.blmoveBuffer(key, list, "LEFT", "RIGHT", seconds)
          : redis.blmoveBuffer(key, list, "RIGHT", "RIGHT", seconds);
      }
      const popped =
        command === "blpop" ? await redis.blpopBuffer(key, seconds) : await redis.brpopBuffer(key, seconds);
      return popped?.[1] ?? null;
    });
  }

  /** Delivers one value and settles it; never rejects. */
  async #deliver(value: Buffer): Promise<void> {
    const key = value.toString("latin1");
    this.#underWay.set(key, (this.#underWay.get(key) ?? 0) + 1);
    try {
      const batch = [Message.fromBytes(value, new Map())];
      const delivered = await this.#redelivery.deliver(batch, this.#closing.signal);
      await (delivered === undefined ? this.#giveBack(value) : this.#settle(value));
    } catch (error) {
      // The value may still be in the processing list. If it may not be removed there, to deliver it again would not help.
      if (!isRefusal(error, "NOPERM")) this.#lost.note();
      const known = error instanceof GatewayError;
      this.#context.log.warn(
        "a value of the list could not be settled",
        known ? { reason: error.answer } : { error },
      );
    } finally {
      const left = (this.#underWay.get(key) ?? 1) - 1;
      if (left > 0) this.#underWay.set(key, left);
      else this.#underWay.delete(key);
      this.#inFlight.release();
    }
  }

  async #settle(value: Buffer): Promise<void> {
    const { processing_key: list } = this.#settings;
    if (list !== "") await this.#settling.ask((redis) => redis.lrem(list, 1, value));
  }

  async #giveBack(value: Buffer): Promise<void> {
    const { key, command, processing_key: list } = this.#settings;
    if (list !== "") return; // it is still in that list, and the next start begins with it
    await this.#settling.ask((redis) =>
      command === "blpop" ? redis.lpush(key, value) : redis.rpush(key, value),
    );
  }
}
