import {
  createInbox,
  type Msg,
  type NatsConnection,
  nanos,
  type Subscription,
} from "@nats-io/transport-node";
import type { ComponentContext } from "../../../component/component.ts";
import { createBackoff, pause } from "../../../concurrency/backoff.ts";
import type { EndCondition } from "../../../conditions/conditions.ts";
import { encodeUtf8 } from "../../../text/utf8.ts";
import type { OpenConsumer } from "./consumer.ts";
import { type DeliveryPosition, positionOf } from "./position.ts";

/** What a reader gives its pulls. */
export interface PullOptions {
  /** The consumer to ask, made anew where it is gone. */
  open(): Promise<OpenConsumer>;
  /** How many more messages the reader can hold. */
  room(): number;
  onMessage(message: Msg, position: DeliveryPosition): void;
}

/** Messages asked for at once; more would leave less for other readers of the consumer. */
const largestRequest = 256;
/** Milliseconds after which the server ends a question, and between its signs of life while it has nothing. */
const requestExpiry = 30_000;
const heartbeat = 5_000;

const recoveryPauses = { first: 50, longest: 10_000 };

/**
 * Asks a consumer for messages, never for more than there is room for, one question at a time. What goes
 * wrong on the way, a lost connection, a consumer that is gone, a server that has fallen silent, is repaired
 * without end.
 */
export class Pulls {
  readonly #connection: NatsConnection;
  readonly #context: ComponentContext;
  readonly #options: PullOptions;
  readonly #closing = new AbortController();
  readonly #backoff = createBackoff(recoveryPauses);
  #consumer: OpenConsumer | undefined;
  #subscription: Subscription | undefined;
  /** Address of the answers to all questions, and of those to the latest one. */
  readonly #inbox = createInbox();
  #question = 0;
  /** Messages that the question under way may still bring; 0 where none is. */
  #asked = 0;
  #connected = true;
  #recovering = false;
  #stopped = false;
  #lastSign = 0;
  #watch: NodeJS.Timeout | undefined;

  constructor(connection: NatsConnection, context: ComponentContext, options: PullOptions) {
    this.#connection = connection;
    this.#context = context;
    this.#options = options;
  }

  /** Opens the consumer and asks for the first messages; rejects with a `GatewayError` where that fails. */
  async start(): Promise<void> {
    this.#consumer = await this.#options.open();
    this.#listen();
    this.request();
    this.#watch = setInterval(() => this.#look(), heartbeat);
    void this.#follow();
  }

  /** Asks for more, if there is room and nothing is under way. */
  request(): void {
    const consumer = this.#consumer;
    if (this.#asked > 0 || consumer === undefined || !this.isReady || this.#stopped) return;
    const batch = Math.min(this.#options.room(), largestRequest, consumer.largestRequest);
    if (batch <= 0) return;
    this.#asked = batch;
    this.#question += 1;
    this.#lastSign = performance.now();
    const expires = Math.min(requestExpiry, consumer.longestRequest);
    const question = {
      batch,
      expires: nanos(expires),
      idle_heartbeat: nanos(Math.min(heartbeat, Math.floor(expires / 2))), // the server takes no rarer ones
    };
    const subject = `$JS.API.CONSUMER.MSG.NEXT.${consumer.stream}.${consumer.name}`;
    this.#connection.publish(subject, encodeUtf8(JSON.stringify(question)), { reply: this.#answers() });
  }

  /** Whether the consumer is known to be there. */
  get isReady(): boolean {
    return this.#connected && !this.#recovering && !this.#connection.isClosed();
  }

  /**
   * Takes no more messages: those on their way are returned. Resolves when none is left, or when the connection is lost;
   * goes on finding a lost consumer.
   */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#watch);
    const subscription = this.#subscription;
    if (subscription === undefined || subscription.isClosed()) return;
    await subscription.drain().catch(() => undefined); // with the connection lost, nothing comes by it any more
  }

  /** After `stop`: finds nothing any more. */
  close(): void {
    this.#closing.abort();
  }

  #answers(): string {
    return `${this.#inbox}.${this.#question}`;
  }

  /** Listens for answers, also late ones to earlier questions, for they may be messages. */
  #listen(): void {
    if (this.#subscription !== undefined && !this.#subscription.isClosed()) return;
    this.#subscription = this.#connection.subscribe(`${this.#inbox}.*`, {
      callback: (error, message) => {
        if (error === null) this.#take(message);
        else void this.#recover(error);
      },
    });
  }

  #take(message: Msg): void {
    const isStatus = message.subject.startsWith(this.#inbox);
    if (this.#stopped) {
      // The server would hold it back for as long as `ack_wait`, and with it the place of another message.
      if (!isStatus) message.respond("-NAK");
      return;
    }
    if (isStatus && message.subject !== this.#answers()) return; // of a question that was given up
    this.#lastSign = performance.now();
    if (isStatus) {
      this.#takeStatus(message.headers?.code ?? 0, message.headers?.description ?? "");
      return;
    }
    this.#backoff.reset();
    this.#asked = Math.max(0, this.#asked - 1);
    const position = positionOf(message);
    if (position !== undefined) this.#options.onMessage(message, position);
    this.request();
  }

  #takeStatus(status: number, description: string): void {
    if (status === 100) return; // a sign of life
    this.#asked = 0;
    // A question that has expired is put again; anything else means that something is gone or has moved.
    if (status === 408) this.request();
    else void this.#recover(`${status} ${description}`);
  }

  /** Signs of life come while the server holds a question; without them it has forgotten it. */
  #look(): void {
    const isSilent = performance.now() - this.#lastSign > 2.5 * heartbeat;
    if (this.#asked > 0 && isSilent) void this.#recover("no sign of life");
  }

  async #follow(): Promise<void> {
    for await (const { type } of this.#connection.status()) {
      if (type === "disconnect") this.#connected = false;
      else if (type === "reconnect") {
        this.#connected = true;
        void this.#recover();
      }
    }
  }

  /** Opens the consumer again; without a `reason` at once. A connection that is lost meanwhile calls this again. */
  async #recover(reason?: unknown): Promise<void> {
    if (!this.isReady || this.#closing.signal.aborted) return;
    this.#recovering = true;
    const { log, beginOutage } = this.#context;
    if (reason !== undefined) {
      log.warn("JetStream stopped delivering, opening the consumer again", { reason: String(reason) });
      await pause(this.#backoff.next(), this.#closing.signal);
    }
    let endOutage: EndCondition | undefined;
    for (let failures = 0; !this.#closing.signal.aborted; failures += 1) {
      try {
        await this.#reopen();
        endOutage?.();
        return;
      } catch (error) {
        if (failures === 0) {
          endOutage = beginOutage?.("the JetStream consumer cannot be opened");
          log.warn("the consumer cannot be opened, trying again", { error });
        }
        await pause(this.#backoff.next(), this.#closing.signal);
      }
    }
  }

  async #reopen(): Promise<void> {
    this.#consumer = await this.#options.open();
    this.#recovering = false;
    if (this.#stopped) return;
    this.#listen();
    this.#asked = 0;
    this.request();
  }
}
