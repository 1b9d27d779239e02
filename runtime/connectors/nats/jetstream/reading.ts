import { setTimeout as pause } from "node:timers/promises";
import type { JetStreamManager } from "@nats-io/jetstream";
import type { Msg, NatsConnection } from "@nats-io/transport-node";
import type { Input, InputContext } from "../../../component/component.ts";
import { abort } from "../../../concurrency/abort.ts";
import { settlesWithin } from "../../../concurrency/promises.ts";
import type { Positions, PartPosition as SourcePosition } from "../../../message/positions.ts";
import type { Logger } from "../../../process/log.ts";
import { encodeUtf8 } from "../../../text/utf8.ts";
import { disconnectNats, natsFailure } from "../client.ts";
import { type ConsumerPlan, find, manageJetStream, type OpenConsumer, openConsumer } from "./consumer.ts";
import { type DeliverArrived, Deliveries, workInProgress } from "./deliveries.ts";
import { Pulls } from "./pulls.ts";

/** Encoded once: the client would encode a string for each message. */
const acknowledgement = /* @__PURE__ */ encodeUtf8("+ACK");

/** Number of acknowledgements after which a ping verifies that the server has read them. */
const largestDoubt = 256;

/** Milliseconds between checks of a connection that is being restored. */
const glance = 50;

/**
 * Sends acknowledgements. Keeps each until the server is known to have read it: an acknowledgement that is lost with
 * a connection would hold up its message for `ack_wait`, and cause a second delivery if this process ends before. The
 * answer to a ping proves that the server has read everything sent before the ping, so that messages need no
 * individual answers.
 */
class Answers {
  readonly #connection: NatsConnection;
  /**
   * Returns whether the consumer is known to exist. A restarted server drops acknowledgements of consumers that it
   * has not loaded.
   */
  readonly #isReady: () => boolean;
  #late: (readonly [reply: string, text: string])[] = [];
  /** The reply subjects of acknowledgements since the latest ping. Messages are not kept, because they may be large. */
  #sent: string[] = [];
  /** Like `#sent`, for acknowledgements before the ping in progress. */
  #pinged: string[] = [];
  #pinging: Promise<void> | undefined;

  constructor(connection: NatsConnection, isReady: () => boolean) {
    this.#connection = connection;
    this.#isReady = isReady;
  }

  /** Sends `+ACK`, `-NAK …` or `+WPI` for a message; sends it later if the consumer is not available now. */
  give({ reply }: Msg, text: string): void {
    if (reply === undefined) return; // not a message of a consumer
    if (this.#isReady() && !this.#isEnding()) this.#send(reply, text);
    else if (text !== workInProgress) this.#late.push([reply, text]);
  }

  /**
   * Sends the waiting acknowledgements to a consumer that is available again, and repeats those that may have been
   * lost. Refusals are not repeated: another reader may have their messages by now.
   */
  repeat(): void {
    if (this.#isEnding()) return;
    for (const reply of [...this.#pinged.splice(0), ...this.#sent.splice(0)]) this.#send(reply, "+ACK");
    this.#sendLate();
  }

  /**
   * Waits until the server has read everything, on a new connection if the current one is lost. `limit`: milliseconds
   * to wait at most. Returns the number of acknowledgements that the server may not have read.
   */
  async finish(limit: number): Promise<number> {
    const end = performance.now() + limit;
    const left = () => this.#late.length + this.#sent.length + this.#pinged.length;
    while (left() > 0 && performance.now() < end && !this.#connection.isClosed()) {
      if (this.#isReady()) {
        this.#sendLate();
        await settlesWithin(this.#ping(), end - performance.now());
      } else await pause(glance);
    }
    return left();
  }

  /** Returns whether the client no longer accepts anything to send. */
  #isEnding(): boolean {
    return this.#connection.isClosed() || this.#connection.isDraining();
  }

  #sendLate(): void {
    for (const [reply, text] of this.#late.splice(0)) this.#send(reply, text);
  }

  #send(reply: string, text: string): void {
    this.#connection.publish(reply, text === "+ACK" ? acknowledgement : text);
    if (text !== "+ACK") return;
    this.#sent.push(reply);
    if (this.#sent.length >= largestDoubt) void this.#ping();
  }

  #ping(): Promise<void> {
    this.#pinging ??= this.#pingNow().finally(() => {
      this.#pinging = undefined;
    });
    return this.#pinging;
  }

  async #pingNow(): Promise<void> {
    this.#pinged = this.#sent.splice(0);
    try {
      await this.#connection.flush();
      this.#pinged = [];
    } catch {
      this.#sent.unshift(...this.#pinged.splice(0)); // the connection is lost: `repeat` sends them over the next one
    }
  }
}

/** Milliseconds to wait at the end for a server that has not read all acknowledgements, and may have to restart. */
const farewellLimit = 5000;

/**
 * Returns an input that reads from the reading that `open` returns at each start.
 * `closing` is aborted before it is closed.
 */
export function readingInput(
  open: (context: InputContext, closing: AbortSignal) => Promise<JetStreamReading>,
): Input {
  const closing = new AbortController();
  let reading: JetStreamReading | undefined;
  return {
    async start(context) {
      reading = await open(context, closing.signal);
      try {
        await reading.start();
      } catch (error) {
        await reading.close();
        throw error;
      }
    },
    async close() {
      abort(closing);
      await reading?.close();
    },
  };
}

/**
 * Reads the messages of one consumer, from the opened connection to its end. Up to the limit of the plan are in
 * progress; `deliver` decides whether each is acknowledged or requested again. No message is skipped, even if the
 * consumer or the server is lost.
 */
export class JetStreamReading {
  readonly #connection: NatsConnection;
  readonly #log: Logger;
  readonly #plan: ConsumerPlan;
  /** Where to start in the stream, if the plan does not decide it. */
  readonly #from: Positions | undefined;
  readonly #deliveries: Deliveries;
  readonly #pulls: Pulls;
  readonly #answers: Answers;
  readonly #unfollow: (() => void) | undefined;
  #manager: JetStreamManager | undefined;
  #consumer: OpenConsumer | undefined;
  #closed: Promise<void> | undefined;

  constructor(
    connection: NatsConnection,
    context: InputContext,
    plan: ConsumerPlan,
    deliver: DeliverArrived,
    from?: Positions,
  ) {
    this.#connection = connection;
    this.#log = context.log;
    this.#plan = plan;
    this.#from = from;
    // For other consumers, the server counts unacknowledged messages itself and enforces the limit of the plan: messages that
    // collectors hold get no extra room.
    const isServerLimited = plan.deliver !== "last_per_subject";
    const collectors = isServerLimited ? undefined : context.collectors;
    this.#unfollow = context.collectors?.onChange(() => {
      if (!isServerLimited) this.#pulls.request();
      else context.collectors?.completeIfHeld(this.#deliveries.underWay, plan.maxAckPending);
    });
    this.#deliveries = new Deliveries({
      deliver,
      answer: (message, text) => this.#answers.give(message, text),
      onSettled: () => this.#pulls.request(),
      beginBlockage: context.beginBlockage,
      isShared: plan.durable !== undefined,
    });
    this.#pulls = new Pulls(connection, context, {
      open: () => this.#open(),
      room: () => plan.maxAckPending + (collectors?.held ?? 0) - this.#deliveries.underWay,
      onMessage: (message, position) => this.#deliveries.take(message, position),
    });
    this.#answers = new Answers(connection, () => this.#pulls.isReady);
  }

  /** Begins to read; rejects with a `GatewayError` if the stream or the consumer is missing. */
  async start(): Promise<void> {
    await this.#pulls.start();
  }

  /** Returns the oldest sequence that is not settled; `undefined` before a consumer exists. */
  undelivered(
    isHanded?: (position: SourcePosition) => boolean,
  ): { readonly stream: string; readonly sequence: number } | undefined {
    if (this.#consumer === undefined) return undefined;
    const { stream, next } = this.#consumer;
    const oldest = this.#deliveries.resumeAt(
      isHanded && ((sequence) => isHanded({ part: stream, offset: BigInt(sequence) })),
    );
    return { stream, sequence: Math.max(oldest ?? 0, next) };
  }

  /** See `Input.lag`. */
  lag(): number | undefined {
    return this.#deliveries.lag;
  }

  /** Returns the sequence after the newest message that the consumer can receive; 0 if there is none. */
  async end(): Promise<number> {
    if (this.#manager === undefined || this.#consumer === undefined) return 0;
    const { stream, subjects } = this.#consumer;
    const manager = this.#manager;
    if (subjects.length === 0) return (await manager.streams.info(stream)).state.last_seq + 1;
    const newest = await Promise.all(
      subjects.map((subject) =>
        manager.streams.getMessage(stream, { last_by_subj: subject }).catch(unknownEnd),
      ),
    );
    return Math.max(0, ...newest.map((message) => (message === null ? 0 : message.seq + 1)));
  }

  /** Stops taking messages, waits for those in progress, sends their acknowledgements and disconnects. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#unfollow?.();
    const stopped = this.#pulls.stop();
    await this.#deliveries.idle();
    this.#deliveries.close();
    const end = performance.now() + farewellLimit;
    await settlesWithin(stopped, farewellLimit);
    const unread = await this.#answers.finish(end - performance.now());
    if (unread > 0) this.#log.warn("the server may redeliver acknowledged messages", { messages: unread });
    this.#pulls.close();
    await this.#deleteOwn();
    await disconnectNats(this.#connection);
  }

  async #open(): Promise<OpenConsumer> {
    this.#manager ??= await manageJetStream(this.#connection);
    const consumer = (await this.#stillThere(this.#manager)) ?? (await this.#make(this.#manager));
    if (consumer.ackWait !== this.#consumer?.ackWait) this.#deliveries.keepAlive(consumer.ackWait);
    this.#consumer = consumer;
    this.#answers.repeat();
    return consumer;
  }

  /**
   * Opens a consumer. A new one in place of a lost ephemeral consumer
   * starts with the oldest message that was not settled.
   */
  #make(manager: JetStreamManager): Promise<OpenConsumer> {
    const resume = this.#deliveries.resumeAt() ?? this.#consumer?.next;
    const from = this.#from;
    return openConsumer(manager, this.#plan, {
      in: (stream) => (resume === undefined && from !== undefined ? beginIn(stream, from) : resume),
      ...(this.#consumer !== undefined && { since: this.#consumer.made }),
      onNewStream: () => this.#deliveries.beginAnew(),
    });
  }

  async #stillThere(manager: JetStreamManager): Promise<OpenConsumer | undefined> {
    const own = this.#consumer;
    if (own === undefined || this.#plan.durable !== undefined) return undefined;
    const found = await find(manager, own.stream, own.name).catch(() => undefined); // `#make` reports the reason
    return found === undefined ? undefined : own;
  }

  /** Deletes an ephemeral consumer, which the server would otherwise keep for a while. */
  async #deleteOwn(): Promise<void> {
    if (this.#plan.durable !== undefined || this.#consumer === undefined || !this.#pulls.isReady) return;
    const { stream, name } = this.#consumer;
    await this.#manager?.consumers.delete(stream, name).catch(() => undefined); // the server deletes it later
  }
}

/** Returns where to start. Without a position in this stream, starts with new messages. Sequences count from 1. */
function beginIn(stream: string, from: Positions): number | "end" {
  const sequence = from.get(stream);
  return sequence === undefined ? "end" : Math.max(1, Number(sequence));
}

function unknownEnd(error: unknown): never {
  throw natsFailure(error, "The end of the stream cannot be found");
}
