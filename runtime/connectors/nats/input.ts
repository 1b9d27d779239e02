import type { Msg, NatsConnection, NatsError, Subscription } from "nats";
import { createBackoff, pause } from "../../backoff.ts";
import type { Delivered, Input, InputContext } from "../../component.ts";
import { DeliveryWindow } from "../../delivery-window.ts";
import { Message } from "../../message.ts";
import { createRedelivery } from "../../redelivery.ts";
import type { Value } from "../../value.ts";
import { connectNats, natsFailure } from "./client.ts";
import { type NatsInputOptions, natsInputDefaults } from "./generated/input-options.ts";

/** Deliveries under way at once. */
const inFlightLimit = 1024;

/** Messages held ahead of them. NATS does not wait for slow readers: beyond this, new ones are dropped. */
const heldLimit = 65_536;

/** Bytes of the messages under way and held; beyond this, new ones are dropped. */
const bytesLimit = 64 * 1024 * 1024;

const resubscribePauses = { first: 500, longest: 30_000 };

/**
 * Reads messages of a subject. Core NATS keeps nothing, so a message lives in this process until it is
 * confirmed: a failed delivery is repeated, and a crash loses it. A message with a reply subject is
 * answered with what the stream replied, else with `+ACK`, or `-NAK` when it was given up at the end.
 */
export function natsInput(options: NatsInputOptions): Input {
  const settings = { ...natsInputDefaults, ...options };
  let reading: Reading | undefined;
  return {
    async start(context) {
      reading = new Reading(settings, await connectNats(settings.urls, context), context);
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

/** One input from `start` to `close`. */
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
    const redelivery = createRedelivery(context);
    this.#window = new DeliveryWindow({
      limit: inFlightLimit,
      held: heldLimit,
      bytes: bytesLimit,
      sizeOf: (message) => message.data.length,
      deliver: async (message) => {
        const delivered = await redelivery.deliver([messageOf(message)], this.#closing.signal);
        this.#answer(message, delivered);
      },
      onDropped: (count) =>
        context.log.warn("the stream is too slow for NATS, messages are dropped", { count }),
    });
  }

  /** Resolves once the server has accepted the subscription. */
  async subscribe(): Promise<void> {
    const { subject, queue } = this.#settings;
    let refusal: NatsError | undefined;
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
    this.#closing.abort();
    if (this.#connection.isClosed()) return;
    this.#subscription?.unsubscribe();
    await this.#window.idle();
    await this.#connection.drain(); // replies may still be on their way
  }

  /** A server whose rules change can end a subscription; nothing would ever come again. */
  async #subscribeAgain(): Promise<void> {
    const backoff = createBackoff(resubscribePauses);
    while (!this.#closing.signal.aborted && !this.#connection.isClosed()) {
      this.#context.log.warn("NATS ended the subscription, subscribing again");
      await pause(backoff.next(), this.#closing.signal);
      if (this.#closing.signal.aborted) return;
      try {
        await this.subscribe();
        return;
      } catch (error) {
        this.#context.log.warn("the subscription cannot be made yet", { error: String(error) });
      }
    }
  }

  #answer(message: Msg, delivered: Delivered | undefined): void {
    if (message.reply === undefined || message.reply === "" || this.#connection.isClosed()) return;
    if (delivered === undefined) message.respond("-NAK");
    else if (delivered.response === undefined) message.respond("+ACK");
    else for (const reply of delivered.response) message.respond(reply.bytes());
  }
}

/** Headers become metadata, the first of a name where there are several; `nats_*` names win. */
function messageOf(message: Msg): Message {
  const metadata = new Map<string, Value>();
  for (const name of message.headers?.keys() ?? []) metadata.set(name, message.headers?.get(name) ?? "");
  metadata.set("nats_subject", message.subject);
  metadata.set("nats_reply_subject", message.reply ?? "");
  return Message.fromBytes(message.data, metadata);
}
