import {
  createInbox,
  type Msg,
  type NatsConnection,
  nanos,
  type Subscription,
} from "@nats-io/transport-node";
import type { ComponentContext } from "../../../component/component.ts";
import { abort } from "../../../concurrency/abort.ts";
import { createBackoff, pause } from "../../../concurrency/backoff.ts";
import type { EndCondition } from "../../../conditions/conditions.ts";
import { encodeUtf8 } from "../../../text/utf8.ts";
import type { OpenConsumer } from "./consumer.ts";
import { type DeliveryPosition, positionOf } from "./position.ts";

/** The functions that a reader provides to its pulls. */
export interface PullOptions {
  /** Opens the consumer, and creates it again if it is gone. */
  open(): Promise<OpenConsumer>;
  /** Returns how many more messages the reader can hold. */
  room(): number;
  onMessage(message: Msg, position: DeliveryPosition): void;
}

/** Largest number of messages per request; a larger one would leave fewer for other readers of the consumer. */
const largestRequest = 256;
/** Milliseconds after which the server ends a request, and between its heartbeats while it has no messages. */
const requestExpiry = 30_000;
const heartbeat = 5_000;

const recoveryPauses = { first: 50, longest: 10_000 };

/**
 * Requests messages from a consumer, one request at a time, and never more than there is room for. Recovers from lost
 * connections, deleted consumers and servers that no longer respond, however long that takes.
 */
export class Pulls {
  readonly #connection: NatsConnection;
  readonly #context: ComponentContext;
  readonly #options: PullOptions;
  readonly #closing = new AbortController();
  readonly #backoff = createBackoff(recoveryPauses);
  #consumer: OpenConsumer | undefined;
  #subscription: Subscription | undefined;
  /** The subject prefix of all responses. The number of the request follows it. */
  readonly #inbox = createInbox();
  #question = 0;
  /** Number of messages that the current request may still deliver; 0 if there is no request. */
  #requested = 0;
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

  /** Opens the consumer and requests the first messages; rejects with a `GatewayError` if that fails. */
  async start(): Promise<void> {
    this.#consumer = await this.#options.open();
    this.#listen();
    this.request();
    this.#watch = setInterval(() => this.#look(), heartbeat);
    void this.#follow();
  }

  /** Requests more messages if there is room and no request is in progress. */
  request(): void {
    const consumer = this.#consumer;
    if (this.#requested > 0 || consumer === undefined || !this.isReady || this.#stopped) return;
    const batch = Math.min(this.#options.room(), largestRequest, consumer.largestRequest);
    if (batch <= 0) return;
    this.#requested = batch;
    this.#question += 1;
    this.#lastSign = performance.now();
    const expires = Math.min(requestExpiry, consumer.longestRequest);
    const question = {
      batch,
      expires: nanos(expires),
      idle_heartbeat: nanos(Math.min(heartbeat, Math.floor(expires / 2))), // the server rejects a longer interval
    };
    const subject = `$JS.API.CONSUMER.MSG.NEXT.${consumer.stream}.${consumer.name}`;
    this.#connection.publish(subject, encodeUtf8(JSON.stringify(question)), { reply: this.#answers() });
  }

  /** Whether the consumer is known to exist. */
  get isReady(): boolean {
    return this.#connected && !this.#recovering && !this.#connection.isClosed();
  }

  /**
   * Takes no more messages and returns those that still arrive to the server. Resolves when none is left, or when the
   * connection is lost. Recovery of a lost consumer continues.
   */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#watch);
    const subscription = this.#subscription;
    if (subscription === undefined || subscription.isClosed()) return;
    await subscription.drain().catch(() => undefined); // if the connection is lost, no more messages arrive on it
  }

  /** Ends recovery; call it after `stop`. */
  close(): void {
    abort(this.#closing);
  }

  #answers(): string {
    return `${this.#inbox}.${this.#question}`;
  }

  /** Subscribes to responses, including late ones to earlier requests, because they may be messages. */
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
      // Otherwise the server would wait `ack_wait` before it redelivers the message, and count it against the limit.
      if (!isStatus) message.respond("-NAK");
      return;
    }
    if (isStatus && message.subject !== this.#answers()) return; // belongs to an abandoned request
    this.#lastSign = performance.now();
    if (isStatus) {
      this.#takeStatus(message.headers?.code ?? 0, message.headers?.description ?? "");
      return;
    }
    this.#backoff.reset();
    this.#requested = Math.max(0, this.#requested - 1);
    const position = positionOf(message);
    if (position !== undefined) this.#options.onMessage(message, position);
    this.request();
  }

  #takeStatus(status: number, description: string): void {
    if (status === 100) return; // heartbeat
    this.#requested = 0;
    // An expired request is repeated. Any other status means that something is gone or has moved.
    if (status === 408) this.request();
    else void this.#recover(`${status} ${description}`);
  }

  /** Checks for heartbeats, which the server sends while it holds a request: without them it has lost the request. */
  #look(): void {
    const isSilent = performance.now() - this.#lastSign > 2.5 * heartbeat;
    if (this.#requested > 0 && isSilent) void this.#recover("no heartbeat");
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

  /**
   * Opens the consumer again; without a `reason`, immediately.
   * If the connection is lost meanwhile, this is called again.
   */
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
          log.warn("the consumer cannot be opened, retrying", { error });
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
    this.#requested = 0;
    this.request();
  }
}
