// Entries under way: acknowledged once they are delivered, and kept from other consumers until then.

import type { ComponentContext } from "../../../component/component.ts";
import type { RedisConnection } from "../../../resources/redis-client.ts";
import { keep, type StreamConsumer } from "./group.ts";

/** Entries that one request acknowledges or keeps. */
const largestRequest = 1_000;

/** The entries of one consumer between their reading and their acknowledgement. */
export class ConsumerAcknowledgements {
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

  /** Notes that an entry is under way; false where it already is, or waits for its acknowledgement. */
  begin(stream: string, id: string): boolean {
    if (this.#underWay.get(stream)?.has(id) || this.#delivered.get(stream)?.has(id)) return false;
    setAt(this.#underWay, stream).add(id);
    return true;
  }

  /** Notes what became of an entry; one that was not delivered stays pending in Redis. */
  end(stream: string, id: string, isDelivered: boolean): void {
    this.#underWay.get(stream)?.delete(id);
    if (isDelivered) setAt(this.#delivered, stream).add(id);
  }

  /** Acknowledges what was delivered. What cannot be now is acknowledged by the next call. Never rejects. */
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

  /** Keeps other consumers from taking over what is under way. Never rejects. */
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
