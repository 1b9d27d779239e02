import { setTimeout as pause } from "node:timers/promises";
import type { JetStreamManager } from "@nats-io/jetstream";
import type { Msg, NatsConnection } from "@nats-io/transport-node";
import type { Input, InputContext } from "../../../component/component.ts";
import { settlesWithin } from "../../../concurrency/promises.ts";
import type { Positions, PartPosition as SourcePosition } from "../../../message/positions.ts";
import type { Logger } from "../../../process/log.ts";
import { encodeUtf8 } from "../../../text/utf8.ts";
import { disconnectNats, natsFailure } from "../client.ts";
import { type ConsumerPlan, find, manageJetStream, type OpenConsumer, openConsumer } from "./consumer.ts";
import { Deliveries, type DeliveryOptions, workInProgress } from "./deliveries.ts";
import { Pulls } from "./pulls.ts";

/** In bytes: the client would encode it for each message. */
const acknowledgement = /* @__PURE__ */ encodeUtf8("+ACK");

/** Acknowledgements after which the server is asked whether it has read them. */
const largestDoubt = 256;

/** Milliseconds between looks for a connection that is being repaired. */
const glance = 50;

/**
 * Acknowledgements of messages. An acknowledgement is kept until the server is known to have read it: one that
 * was lost with a connection would hold its message up for as long as `ack_wait`, and have it delivered twice where this
 * process ends before. A ping that is answered says so of all that was sent before it, so that a message costs no
 * answer of its own.
 */
class Answers {
  readonly #connection: NatsConnection;
  /** Whether the consumer is known to be there. A server that has just come back forgets answers it cannot place. */
  readonly #isReady: () => boolean;
  #late: (readonly [reply: string, text: string])[] = [];
  /** Where to acknowledge again, of what was since the server was asked last: not the messages, which may be large. */
  #sent: string[] = [];
  /** As `#sent`, before the question that is under way. */
  #asked: string[] = [];
  #asking: Promise<void> | undefined;

  constructor(connection: NatsConnection, isReady: () => boolean) {
    this.#connection = connection;
    this.#isReady = isReady;
  }

  /** Tells `+ACK`, `-NAK …` or `+WPI` of a message, later where the consumer is not there now. */
  give({ reply }: Msg, text: string): void {
    if (reply === undefined) return; // none of a consumer
    if (this.#isReady() && !this.#isEnding()) this.#send(reply, text);
    else if (text !== workInProgress) this.#late.push([reply, text]);
  }

  /**
   * Tells a consumer that was found what has waited for it, and again what may have been lost. A refusal is not repeated:
   * another reader may have its message by now.
   */
  repeat(): void {
    if (this.#isEnding()) return;
    for (const reply of [...this.#asked.splice(0), ...this.#sent.splice(0)]) this.#send(reply, "+ACK");
    this.#sendLate();
  }

  /**
   * Waits until the server has read everything, over a new connection where the present one is lost, for `limit`
   * milliseconds at most. Gives how many answers it may not have read.
   */
  async finish(limit: number): Promise<number> {
    const end = performance.now() + limit;
    const left = () => this.#late.length + this.#sent.length + this.#asked.length;
    while (left() > 0 && performance.now() < end && !this.#connection.isClosed()) {
      if (this.#isReady()) {
        this.#sendLate();
        await settlesWithin(this.#ask(), end - performance.now());
      } else await pause(glance);
    }
    return left();
  }

  /** The client takes nothing any more. */
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
    if (this.#sent.length >= largestDoubt) void this.#ask();
  }

  #ask(): Promise<void> {
    this.#asking ??= this.#askNow().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #askNow(): Promise<void> {
    this.#asked = this.#sent.splice(0);
    try {
      await this.#connection.flush();
      this.#asked = [];
    } catch {
      this.#sent.unshift(...this.#asked.splice(0)); // the connection is lost; they are repeated over the next
    }
  }
}

/** Milliseconds that the end waits for a server that has not read all acknowledgements, and may have to come back. */
const farewellLimit = 5000;

/** An input whose messages are those of the reading that `open` makes at each start; `closing` is aborted before that is closed. */
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
      closing.abort();
      await reading?.close();
    },
  };
}

/**
 * Messages of one consumer, from the opened connection to its end: as many under way as the plan allows,
 * each settled by `settle` and then acknowledged or asked for again. Nothing is passed over, also where the
 * consumer or the server is lost meanwhile.
 */
export class JetStreamReading {
  readonly #connection: NatsConnection;
  readonly #log: Logger;
  readonly #plan: ConsumerPlan;
  /** Where to begin in the stream, where it is not the plan's to say. */
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
    settle: DeliveryOptions["settle"],
    from?: Positions,
  ) {
    this.#connection = connection;
    this.#log = context.log;
    this.#plan = plan;
    this.#from = from;
    // Where the server counts what is not acknowledged, it gives no more than the plan allows, whatever collects it.
    const collectors = plan.deliver === "last_per_subject" ? context.collectors : undefined;
    this.#unfollow = collectors?.onChange(() => this.#pulls.request());
    this.#deliveries = new Deliveries({
      settle,
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

  /** Begins to read; rejects with a `GatewayError` where there is nothing to read from. */
  async start(): Promise<void> {
    await this.#pulls.start();
  }

  /** The oldest sequence that is not settled; `undefined` before there is a consumer. */
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

  /** As `Input.lag`. */
  lag(): number | undefined {
    return this.#deliveries.lag;
  }

  /** After the newest message that the consumer can get; 0 where there is none. */
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

  /** Takes no more messages, waits for those under way, tells the server of them and disconnects. */
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
    if (unread > 0) this.#log.warn("the server may give acknowledged messages again", { messages: unread });
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

  /** Where a consumer that has no name of its own was lost, a new one goes on from what was not settled. */
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
    const found = await find(manager, own.stream, own.name).catch(() => undefined); // `make` says what is wrong
    return found === undefined ? undefined : own;
  }

  /** The server would keep a consumer without a name for a while. */
  async #deleteOwn(): Promise<void> {
    if (this.#plan.durable !== undefined || this.#consumer === undefined || !this.#pulls.isReady) return;
    const { stream, name } = this.#consumer;
    await this.#manager?.consumers.delete(stream, name).catch(() => undefined); // the server deletes it later
  }
}

/** A client that has no position in this stream begins with new messages. Sequences count from 1. */
function beginIn(stream: string, from: Positions): number | "end" {
  const sequence = from.get(stream);
  return sequence === undefined ? "end" : Math.max(1, Number(sequence));
}

function unknownEnd(error: unknown): never {
  throw natsFailure(error, "The end of the stream cannot be found");
}
