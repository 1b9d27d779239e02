import { type Msg, type NatsConnection, nanos, type Subscription } from "@nats-io/transport-node";
import type { Delivered, Input, InputContext } from "../../component/component.ts";
import { createRedelivery, createRedeliveryOfEach, withReplay } from "../../component/redelivery.ts";
import { abort } from "../../concurrency/abort.ts";
import { createBackoff, pause } from "../../concurrency/backoff.ts";
import { DeliveryWindow } from "../../concurrency/delivery-window.ts";
import { sourceFrom } from "../../conditions/blockage.ts";
import type { Batch, Message } from "../../message/message.ts";
import { connectNats, disconnectNats, natsFailure } from "./client.ts";
import { type NatsInputOptions, natsInputDefaults } from "./generated/input-options.ts";
import { messageFrom, subjectSequence } from "./headers.ts";

/** Largest number of deliveries in progress. */
const inFlightLimit = 1024;

/** Largest total size of messages in progress and waiting, in bytes; further messages are dropped. */
const bytesLimit = 64 * 1024 * 1024;

const sourceOf = /* @__PURE__ */ sourceFrom({ subject: "nats_subject" });

const resubscribePauses = { first: 500, longest: 30_000 };

/**
 * Reads messages of a subject. Core NATS stores nothing: this process holds a message until it is confirmed and
 * retries failed deliveries, but a crash loses it. If a message has a reply subject, the reply is the response of the
 * stream if there is one, otherwise `+ACK` unless `send_ack` is off, or `-NAK` if the message was given up.
 */
export function natsInput(options: NatsInputOptions): Input {
  const settings = { ...natsInputDefaults, ...options };
  let reading: Reading | undefined;
  return {
    // Requests have no sequence: each is answered as soon as it is done, independently of others of its subject.
    sequenceOf: (message) =>
      message.metadata.get("nats_reply_subject") === "" ? subjectSequence(message) : undefined,
    async start(context) {
      reading = new Reading(settings, await connectNats(settings, context), context);
      try {
        await reading.subscribe();
      } catch (error) {
        await reading.close();
        throw error;
      }
    },
    async close() {
      await reading?.close();
    },
  };
}

type Settings = NatsInputOptions & Required<Pick<NatsInputOptions, keyof typeof natsInputDefaults>>;

/** One run of an input, from `start` to `close`. */
class Reading {
  readonly #settings: Settings;
  readonly #connection: NatsConnection;
  readonly #context: InputContext;
  readonly #closing = new AbortController();
  #subscription: Subscription | undefined;
  readonly #window: DeliveryWindow<Msg>;
  #closed: Promise<void> | undefined;

  constructor(settings: Settings, connection: NatsConnection, context: InputContext) {
    this.#settings = settings;
    this.#connection = connection;
    this.#context = context;
    const deliver = createDelivery(settings, context, this.#closing.signal);
    const deliverMessages = createRedeliveryOfEach(withReplay(context, settings.auto_replay_nacks), sourceOf);
    this.#window = new DeliveryWindow({
      limit: inFlightLimit,
      collectors: context.collectors,
      held: settings.prefetch_count,
      bytes: bytesLimit,
      sizeOf: (message) => message.data.length,
      deliver: (messages, settle) => {
        if (messages.some(isRequest)) {
          for (const [index, message] of messages.entries()) {
            void deliver([messageOf(message)]).then((delivered) => {
              this.#answer(message, delivered);
              settle(index);
            });
          }
        } else deliverMessages(messages.map(messageOf), this.#closing.signal, settle);
      },
      // Core NATS has no flow control: messages for which there is no room are lost, which operators have to know.
      onDropped: (count) =>
        context.log.warn("the stream is too slow for NATS, messages are dropped", { count }),
    });
  }

  /** Resolves once the server has accepted the subscription. */
  async subscribe(): Promise<void> {
    const { subject, queue } = this.#settings;
    let refusal: Error | undefined;
    const subscription = this.#connection.subscribe(subject, {
      ...(queue !== "" && { queue }),
      callback: (error, message) => {
        if (error === null) this.#window.take(message, true);
        else refusal = error;
      },
    });
    try {
      await this.#connection.flush();
    } catch (error) {
      throw natsFailure(error, "NATS did not confirm the subscription");
    }
    if (refusal !== undefined) throw natsFailure(refusal, "NATS refused the subscription");
    this.#subscription = subscription;
    void subscription.closed.then(() => this.#subscribeAgain());
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    abort(this.#closing);
    if (this.#connection.isClosed()) return;
    this.#subscription?.unsubscribe();
    await this.#window.idle();
    await disconnectNats(this.#connection); // sends the replies that are still buffered
  }

  /** Subscribes again after the server ended the subscription, for example because its permissions changed. */
  async #subscribeAgain(): Promise<void> {
    if (this.#closing.signal.aborted || this.#connection.isClosed()) return;
    const backoff = createBackoff(resubscribePauses);
    const endOutage = this.#context.beginOutage?.("NATS ended the subscription");
    while (!this.#closing.signal.aborted && !this.#connection.isClosed()) {
      this.#context.log.warn("NATS ended the subscription, subscribing again");
      await pause(backoff.next(), this.#closing.signal);
      if (this.#closing.signal.aborted) return;
      try {
        await this.subscribe();
        endOutage?.();
        return;
      } catch (error) {
        this.#context.log.warn("the subscription is not possible yet", { error: String(error) });
      }
    }
  }

  #refusal(): string {
    const { nak_delay: delay } = this.#settings;
    return delay === undefined ? "-NAK" : `-NAK ${JSON.stringify({ delay: nanos(delay) })}`;
  }

  #answer(message: Msg, delivered: Delivered | undefined): void {
    if (!isRequest(message) || this.#connection.isClosed()) return;
    if (delivered === undefined) message.respond(this.#refusal());
    else if (delivered.response !== undefined) {
      for (const reply of delivered.response) message.respond(reply.bytes());
    } else if (this.#settings.send_ack) message.respond("+ACK");
  }
}

/**
 * Returns a function that delivers a batch until it is confirmed, or only once if the document does not ask for
 * retries. It resolves with `undefined` if the batch was given up, or abandoned at the end.
 */
function createDelivery(
  { auto_replay_nacks }: Settings,
  context: InputContext,
  abandon: AbortSignal,
): (batch: Batch) => Promise<Delivered | undefined> {
  if (auto_replay_nacks) {
    const redelivery = createRedelivery(context, sourceOf);
    return (batch) => redelivery.deliver(batch, abandon);
  }
  const givenUp = new WeakSet<Batch>();
  const once: InputContext = {
    ...context,
    maxAttempts: 1,
    async giveUp(batch, failure) {
      await context.giveUp?.(batch, failure);
      givenUp.add(batch);
    },
  };
  const redelivery = createRedelivery(once, sourceOf);
  return async (batch) => {
    const delivered = await redelivery.deliver(batch, abandon);
    return givenUp.has(batch) ? undefined : delivered;
  };
}

/** Whether a message has a reply subject, so that its delivery has to be answered. */
function isRequest({ reply }: Msg): boolean {
  return reply !== undefined && reply !== "";
}

/** Converts a message. Headers become metadata; `nats_*` names override them. */
function messageOf(message: Msg): Message {
  return messageFrom(message, () => [
    ["nats_subject", message.subject],
    ["nats_reply_subject", message.reply ?? ""],
  ]);
}
