import type { Channel } from "amqplib";
import { amqpFailure, type OpenChannel } from "./client.ts";

/** How many names are remembered; a computed exchange may have any number of them. */
const rememberedLimit = 10_000;

/** How an exchange is to be made where it is missing. */
export interface ExchangeDeclaration {
  readonly type: string;
  readonly durable: boolean;
}

/**
 * The exchanges that a connection knows to be there. They are asked for on a channel of their own: the broker
 * closes a channel on which it is asked for what it does not have, and with it all that is under way there.
 */
export class Exchanges {
  readonly #opened: OpenChannel;
  readonly #declaration: ExchangeDeclaration | undefined;
  readonly #known = new Set([""]); // the one without a name is always there
  #channel: Promise<Channel> | undefined;

  constructor(opened: OpenChannel, declaration: ExchangeDeclaration | undefined) {
    this.#opened = opened;
    this.#declaration = declaration;
  }

  /** Whether `name` was there, so that nothing has to be asked. */
  knows(name: string): boolean {
    return this.#known.has(name);
  }

  /** Resolves once the exchange is there; rejects with a `GatewayError` that says why it is not. */
  async ensure(name: string): Promise<void> {
    if (this.#known.has(name)) return;
    this.#channel ??= this.#open();
    try {
      const channel = await this.#channel;
      if (this.#declaration === undefined) await channel.checkExchange(name);
      else await channel.assertExchange(name, this.#declaration.type, this.#declaration);
    } catch (error) {
      this.#channel = undefined; // the broker has closed it
      const asked = this.#declaration === undefined ? "the exchange" : "to declare the exchange";
      throw amqpFailure(this.#opened.fault() ?? error, `RabbitMQ refused ${asked}`);
    }
    if (this.#known.size >= rememberedLimit) this.#known.clear();
    this.#known.add(name);
  }

  async #open(): Promise<Channel> {
    const channel = await this.#opened.connection.createChannel();
    channel.on("error", () => undefined); // whoever asked is told by the answer
    return channel;
  }
}
