import type { Channel, ChannelModel, ConfirmChannel } from "amqplib";
import type { ComponentContext, Delivered, Output } from "../../component/component.ts";
import { KeptOpen, type Opened } from "../../component/kept-open.ts";
import { joinDelivered } from "../../component/outcomes.ts";
import { textOf } from "../../component/text.ts";
import { refusedTarget } from "../../component/unfit-messages.ts";
import { abort } from "../../concurrency/abort.ts";
import { settlesWithin } from "../../concurrency/promises.ts";
import { Semaphore } from "../../concurrency/semaphore.ts";
import type { EndCondition } from "../../conditions/conditions.ts";
import { GatewayError } from "../../errors.ts";
import type { CheckText } from "../../grammar/computed-text.ts";
import { prepareAll } from "../../grammar/unfit-messages.ts";
import type { Batch, Message } from "../../message/message.ts";
import { asBuffer } from "../../text/utf8.ts";
import { targetsOf } from "./addresses.ts";
import { amqpFailure, type OpenConnection, openConnection } from "./client.ts";
import { type Amqp09OutputOptions, amqp09OutputDefaults } from "./generated/output-options.ts";
import { exchangeCheck, shortCheck } from "./grammar.ts";
import { type AmqpPublication, createProperties, type MakeAmqpProperties } from "./publications.ts";
import { AmqpPublisher } from "./publisher.ts";

/**
 * Publishes each message to an exchange, in the order of the writes. A write resolves once the broker has confirmed all
 * of its messages. It fails after `timeout`, or if the channel is lost before.
 */
export function amqp09Output(options: Amqp09OutputOptions): Output {
  const settings = { ...amqp09OutputDefaults, ...options };
  let writing: Writing | undefined;
  return {
    async start(context) {
      writing = new Writing(settings, context);
      await writing.start();
    },
    write: (batch) => writing?.write(batch) ?? Promise.reject(notConnected()),
    async close() {
      await writing?.close();
    },
  };
}

type Settings = Amqp09OutputOptions & { readonly max_in_flight: number };

/** A connection for publishing, with its state. */
interface PublishingConnection extends Opened {
  readonly publisher: AmqpPublisher;
  readonly exchanges: Exchanges;
}

/** One run of an output, from `start` to `close`. */
class Writing {
  readonly #settings: Settings;
  readonly #context: ComponentContext;
  readonly #makeProperties: MakeAmqpProperties;
  readonly #checkExchange: CheckText;
  readonly #checkKey = shortCheck("key");
  readonly #kept: KeptOpen<PublishingConnection>;
  readonly #inFlight: Semaphore;
  /** Batches are sent one after the other, so that none overtakes a batch that waits for its exchange. */
  readonly #order = new Semaphore(1);
  #closed: Promise<void> | undefined;

  constructor(settings: Settings, context: ComponentContext) {
    const targets = targetsOf(settings);
    this.#settings = settings;
    this.#checkExchange = exchangeCheck(settings.exchange);
    this.#context = context;
    this.#makeProperties = createProperties(settings);
    this.#inFlight = new Semaphore(settings.max_in_flight);
    this.#kept = new KeptOpen<PublishingConnection>({
      name: "RabbitMQ",
      context,
      open: async () => this.#prepare(await openConnection(targets)),
    });
  }

  start(): Promise<void> {
    return this.#kept.start();
  }

  write(batch: Batch): Promise<Delivered> {
    const { timeout = 0 } = this.#settings;
    const written = timeout > 0 ? this.#writeWithin(batch, timeout) : this.#write(batch);
    return written.then(this.#succeeded);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  readonly #succeeded = (delivered: Delivered): Delivered => {
    this.#kept.succeeded();
    return delivered;
  };

  #write(batch: Batch, abandoned?: AbortSignal): Promise<Delivered> {
    return this.#inFlight.use(() => this.#publish(batch, abandoned));
  }

  async #writeWithin(batch: Batch, timeout: number): Promise<Delivered> {
    const abandoned = new AbortController();
    const written = this.#write(batch, abandoned.signal);
    if (await settlesWithin(written, timeout)) return written;
    // Sent messages keep their place in the limit until the broker answers, so that the limit still holds.
    abort(abandoned);
    throw new GatewayError(502, `RabbitMQ did not confirm the message within ${timeout / 1000} s`);
  }

  async #close(): Promise<void> {
    await this.#inFlight.idle();
    await this.#kept.close();
  }

  async #prepare(opened: OpenConnection): Promise<PublishingConnection> {
    const { exchange, key = "", exchange_declare = {} } = this.#settings;
    const { enabled = false, type = "direct", durable = true } = exchange_declare;
    const exchanges = new Exchanges(opened, enabled ? { type, durable } : undefined);
    const { connection } = opened;
    followAlarms(connection, this.#context);
    try {
      const publisher = new AmqpPublisher(connection, await openConfirming(connection), {
        exchange,
        key,
        log: this.#context.log,
        onMissing: (name) => exchanges.forget(name),
      });
      // Checks a fixed exchange now, so that a mistake in the document shows at the start; computed ones are checked
      // on use.
      if (typeof exchange === "string") await exchanges.ensure(exchange);
      const lost = Promise.race([opened.lost, publisher.ended]);
      return { publisher, exchanges, lost, close: () => opened.close(publisher.channel) };
    } catch (error) {
      await opened.close();
      throw error;
    }
  }

  #publish(batch: Batch, abandoned: AbortSignal | undefined): Promise<Delivered> {
    // Its time was over before its turn, and its writer already has the failure.
    if (abandoned?.aborted === true) return Promise.resolve({});
    const publications = prepareAll(batch, (message, index) => this.#publicationOf(message, batch, index));
    const opened = this.#kept.current;
    const isKnown = publications.every(({ exchange }) => opened?.exchanges.knows(exchange));
    if (opened !== undefined && isKnown && this.#order.fits(1)) return opened.publisher.publish(publications);
    return this.#publishInTurn(publications, abandoned);
  }

  /** Publishes batches that wait for their exchange, and those after them. */
  async #publishInTurn(
    publications: readonly AmqpPublication[],
    abandoned: AbortSignal | undefined,
  ): Promise<Delivered> {
    const { delivered } = await this.#order.use(async () => {
      const opened = this.#kept.current;
      if (opened === undefined) throw notConnected();
      const refusals = await this.#ensureExchanges(opened.exchanges, publications);
      const accepted = publications.filter(({ exchange }) => !refusals.has(exchange));
      const refused = publications.flatMap(({ message, exchange }) => {
        const failure = refusals.get(exchange);
        return failure === undefined ? [] : Promise.reject(this.#refusedExchange(message, failure));
      });
      const published = opened.publisher.publish(abandoned?.aborted === true ? [] : accepted);
      // Wrapped in an object, so that the turn ends before the confirmation.
      return { delivered: joinDelivered([published, ...refused]) };
    });
    return delivered;
  }

  /** Resolves when the exchanges exist, with the failures of those that the broker refuses for good. */
  async #ensureExchanges(
    exchanges: Exchanges,
    publications: readonly AmqpPublication[],
  ): Promise<ReadonlyMap<string, GatewayError>> {
    const refusals = new Map<string, GatewayError>();
    for (const { exchange } of publications) {
      if (exchanges.knows(exchange) || refusals.has(exchange)) continue;
      try {
        await exchanges.ensure(exchange);
      } catch (error) {
        if (!(error instanceof GatewayError) || error.retryable) throw error;
        refusals.set(exchange, error);
      }
    }
    return refusals;
  }

  #refusedExchange(message: Message, failure: GatewayError): GatewayError {
    return refusedTarget(message, this.#settings.exchange, failure);
  }

  #publicationOf(message: Message, batch: Batch, index: number): AmqpPublication {
    const { exchange, key = "" } = this.#settings;
    const bytes = message.bytes();
    this.#kept.current?.publisher.checkSize(bytes);
    return {
      message,
      exchange: this.#checkExchange(textOf(exchange, batch, index)),
      key: this.#checkKey(textOf(key, batch, index)),
      content: asBuffer(bytes),
      properties: this.#makeProperties(batch, index),
    };
  }
}

async function openConfirming(connection: ChannelModel): Promise<ConfirmChannel> {
  try {
    return await connection.createConfirmChannel();
  } catch (error) {
    throw amqpFailure(error, "RabbitMQ refused a channel");
  }
}

/** Reports when the broker blocks publishers, because it runs out of memory or disk space. */
function followAlarms(connection: ChannelModel, { log, beginOutage }: ComponentContext): void {
  let endOutage: EndCondition | undefined;
  const end = () => {
    endOutage?.();
    endOutage = undefined;
  };
  connection.on("blocked", (reason) => {
    endOutage ??= beginOutage?.("RabbitMQ accepts no messages at the moment");
    log.warn("RabbitMQ accepts no messages at the moment", { reason });
  });
  connection.on("unblocked", () => {
    end();
    log.info("RabbitMQ accepts messages again");
  });
  connection.on("close", end); // the loss of the connection is reported as an outage of its own
}

function notConnected(): GatewayError {
  return new GatewayError(502, "RabbitMQ is not connected");
}

/**
 * The errors by which the broker refuses an exchange at every request: ACCESS_REFUSED, PRECONDITION_FAILED, and COMMAND_INVALID,
 * for a type that it does not know.
 */
const finalCodes: readonly unknown[] = [403, 406, 503];

function isFinal(fault: unknown): boolean {
  return fault instanceof Error && "code" in fault && finalCodes.includes(fault.code);
}

/** Largest number of remembered names; a computed exchange may have any number of them. */
const rememberedLimit = 10_000;

/** How a missing exchange is created. */
interface ExchangeDeclaration {
  readonly type: string;
  readonly durable: boolean;
}

/**
 * The exchanges that are known to exist. They are checked on a channel of their own: the broker closes a channel on
 * which a client asks for a missing exchange, together with everything in progress there.
 */
class Exchanges {
  readonly #opened: OpenConnection;
  readonly #declaration: ExchangeDeclaration | undefined;
  readonly #known = new Set<string>();
  #channel: Promise<Channel> | undefined;

  constructor(opened: OpenConnection, declaration: ExchangeDeclaration | undefined) {
    this.#opened = opened;
    this.#declaration = declaration;
  }

  /**
   * Returns whether the exchange is known to exist, so that no check is necessary. The default exchange, whose name is empty,
   * always exists, and RabbitMQ refuses requests for it.
   */
  knows(name: string): boolean {
    return name === "" || this.#known.has(name);
  }

  /** An exchange no longer exists. */
  forget(name: string): void {
    this.#known.delete(name);
  }

  /**
   * Resolves once the exchange exists; rejects with a `GatewayError` that gives the reason if it does not. It is not retryable
   * if the user may not declare the exchange, or if it exists as another one.
   */
  async ensure(name: string): Promise<void> {
    if (this.knows(name)) return;
    this.#channel ??= this.#open();
    try {
      const channel = await this.#channel;
      if (this.#declaration === undefined) await channel.checkExchange(name);
      else await channel.assertExchange(name, this.#declaration.type, this.#declaration);
    } catch (error) {
      this.#channel = undefined; // the broker has closed it
      const action = this.#declaration === undefined ? "the exchange" : "to declare the exchange";
      const { status, message, cause } = amqpFailure(
        this.#opened.fault() ?? error,
        `RabbitMQ refused ${action}`,
      );
      throw new GatewayError(status, message, { cause, retryable: !isFinal(cause) });
    }
    if (this.#known.size >= rememberedLimit) this.#known.clear();
    this.#known.add(name);
  }

  async #open(): Promise<Channel> {
    const channel = await this.#opened.connection.createChannel();
    channel.on("error", () => undefined); // the failure is reported to the waiting call
    return channel;
  }
}
