import type { EventContext, Receiver } from "rhea";
import type { Input, InputContext } from "../../component/component.ts";
import { KeptOpen } from "../../component/kept-open.ts";
import type { Sequence } from "../../concurrency/ordering.ts";
import { targetsOf } from "./addresses.ts";
import { type OpenLink, openLink } from "./client.ts";
import { Amqp1Deliveries } from "./deliveries.ts";
import { type Amqp1InputOptions, amqp1InputDefaults } from "./generated/input-options.ts";
import { largestAmqpMessage } from "./inbound-limits.ts";

/**
 * Reads an address. A message is accepted once its delivery is confirmed; one that failed is returned to the
 * broker after a pause.
 */
export function amqp1Input(options: Amqp1InputOptions): Input {
  const settings = { ...amqp1InputDefaults, ...options };
  let reading: Reading | undefined;
  return {
    sequenceOf: () => sourceSequence,
    async start(context) {
      reading = new Reading(settings, context);
      await reading.start();
    },
    async close() {
      await reading?.close();
    },
  };
}

/** An address is read in its order. */
const sourceSequence: Sequence = { name: "source", isKey: false };

type Settings = Amqp1InputOptions & Required<Pick<Amqp1InputOptions, "credit" | "read_header">>;

/** One input from `start` to `close`. */
class Reading {
  readonly #kept: KeptOpen<OpenLink<Receiver>>;
  readonly #deliveries: Amqp1Deliveries;
  #closed: Promise<void> | undefined;

  constructor(settings: Settings, context: InputContext) {
    const { source_address: address, credit } = settings;
    // The client settles in order: what waits for an older one takes up room there.
    const targets = targetsOf(settings).map((target) => ({
      ...target,
      session_buffer_size: Math.max(2048, Math.min(2 * credit, 65_536)),
    }));
    this.#kept = new KeptOpen<OpenLink<Receiver>>({
      name: "AMQP",
      context,
      open: async () => {
        const opened = await openLink(targets, (connection) => {
          const receiver = connection.open_receiver({
            source: { address },
            credit_window: 0,
            autoaccept: false,
            max_message_size: largestAmqpMessage,
          });
          return receiver.on("message", (event: EventContext) => this.#deliveries.take(event));
        });
        this.#deliveries.open(opened.link);
        return opened;
      },
    });
    this.#deliveries = new Amqp1Deliveries(context, {
      address,
      limit: credit,
      readHeader: settings.read_header,
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
    // What still comes is not taken: the broker has it again when the link is closed.
    this.#deliveries.stop();
    await this.#kept.leave();
    await this.#deliveries.idle();
    await this.#kept.close(); // what became of the last messages may still be on its way
  }
}
