import type { Channel } from "amqplib";
import type { Input, InputContext } from "../../component/component.ts";
import { KeptOpen } from "../../component/kept-open.ts";
import type { Sequence } from "../../concurrency/ordering.ts";
import { settlesWithin } from "../../concurrency/promises.ts";
import { workerSuffix } from "../../process/worker-place.ts";
import { targetsOf } from "./addresses.ts";
import { amqpFailure, farewellLimit, type OpenChannel, openChannel } from "./client.ts";
import { Amqp09Deliveries, type Rejects } from "./deliveries.ts";
import { type Amqp09InputOptions, amqp09InputDefaults } from "./generated/input-options.ts";

/**
 * Reads a queue. A message is acknowledged once its delivery is confirmed; one that failed is returned to the
 * queue after a pause, or rejected where `rejects` says so of the failure's text; a gateway whose document has no
 * `nack_reject_patterns` carries no engine for them.
 */
export function amqp09Input(options: PlainOptions, rejects: Rejects = () => false): Input {
  const settings = { ...amqp09InputDefaults, ...options };
  let reading: Reading | undefined;
  return {
    sequenceOf: () => queueSequence,
    ...(declares(settings) && { prepare: () => prepare(settings) }),
    async start(context) {
      reading = new Reading(settings, context, rejects);
      await reading.start();
    },
    async close() {
      await reading?.close();
    },
  };
}

type PlainOptions = Omit<Amqp09InputOptions, "nack_reject_patterns">;
type Settings = PlainOptions & Required<Pick<PlainOptions, "prefetch_count" | "consumer_tag" | "auto_ack">>;

/** A queue is read in its order. */
const queueSequence: Sequence = { name: "queue", isKey: false };

function declares({ queue_declare, bindings_declare = [] }: Settings): boolean {
  return queue_declare?.enabled === true || bindings_declare.length > 0;
}

/** Declares the queue and its bindings, on a connection of its own. */
async function prepare(settings: Settings): Promise<void> {
  const opened = await openChannel(
    targetsOf(settings),
    (connection) => connection.createChannel(),
    (channel) => declareQueue(channel, settings),
  );
  await opened.close();
}

async function declareQueue(
  channel: Channel,
  { queue, queue_declare, bindings_declare = [] }: Settings,
): Promise<void> {
  if (queue_declare?.enabled === true) {
    const { durable = true, auto_delete: autoDelete = false } = queue_declare;
    await asked(channel.assertQueue(queue, { durable, autoDelete }), "RabbitMQ refused to declare the queue");
  }
  for (const { exchange = "", key = "" } of bindings_declare) {
    await asked(channel.bindQueue(queue, exchange, key), "RabbitMQ refused to bind the queue");
  }
}

/** One input from `start` to `close`. */
class Reading {
  readonly #settings: Settings;
  readonly #kept: KeptOpen<OpenChannel>;
  readonly #deliveries: Amqp09Deliveries;
  /** What the broker calls this reader on the present channel. */
  #tag: string | undefined;
  #closed: Promise<void> | undefined;

  constructor(settings: Settings, context: InputContext, rejects: Rejects) {
    const targets = targetsOf(settings);
    this.#settings = settings;
    this.#kept = new KeptOpen<OpenChannel>({
      name: "RabbitMQ",
      context,
      open: () =>
        openChannel(
          targets,
          (connection) => connection.createChannel(),
          (channel) => this.#prepare(channel),
        ),
    });
    this.#deliveries = new Amqp09Deliveries(context, {
      queue: settings.queue,
      limit: prefetchOf(settings),
      autoAck: settings.auto_ack,
      rejects,
      onDelivered: () => this.#kept.succeeded(),
    });
  }

  start(): Promise<void> {
    return this.#kept.start();
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#deliveries.stop();
    await this.#kept.leave();
    // What still comes is not taken: the broker has it again when the channel is closed.
    const channel = this.#kept.current?.channel;
    if (channel !== undefined && this.#tag !== undefined) {
      await settlesWithin(channel.cancel(this.#tag), farewellLimit);
    }
    await this.#deliveries.idle();
    await this.#kept.close(); // acknowledgements may still be on their way
  }

  async #prepare(channel: Channel): Promise<void> {
    const { queue, consumer_tag } = this.#settings;
    await declareQueue(channel, this.#settings);
    await channel.prefetch(prefetchOf(this.#settings));
    const consumerTag = consumer_tag === "" ? "" : consumer_tag + workerSuffix();
    const reader = channel.consume(queue, (message) => this.#deliveries.take(message, channel), {
      consumerTag,
    });
    this.#tag = (await asked(reader, "RabbitMQ refused to read the queue")).consumerTag;
  }
}

/** As many as the protocol can name, where the document sets no limit: without one a queue would have to fit into memory. */
function prefetchOf({ prefetch_count }: Settings): number {
  return prefetch_count === 0 ? 65_535 : prefetch_count;
}

async function asked<T>(answer: Promise<T>, refusal: string): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw amqpFailure(error, refusal);
  }
}
