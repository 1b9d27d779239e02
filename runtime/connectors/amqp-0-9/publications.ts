import { isDeepStrictEqual } from "node:util";
import type { ConfirmChannel, Message, Options } from "amqplib";
import { GatewayError } from "../../errors.ts";
import { amqpFailure } from "./client.ts";

/** A message on its way to an exchange. */
export interface AmqpPublication {
  readonly exchange: string;
  readonly key: string;
  readonly content: Buffer;
  readonly properties: Options.Publish;
}

/** One that the broker is to give back where no queue takes it. */
interface Mandatory {
  readonly publication: AmqpPublication;
  returned: boolean;
}

/** Messages that a channel sends, until the broker has confirmed them. */
export class AmqpPublications {
  readonly #channel: ConfirmChannel;
  /** In the order in which they were sent. */
  readonly #mandatory = new Set<Mandatory>();

  constructor(channel: ConfirmChannel) {
    this.#channel = channel;
    channel.on("return", (message: Message) => this.#noteReturned(message));
  }

  /** Sends now; resolves once the broker has the message, and rejects with a `GatewayError` where it has not. */
  async publish(publication: AmqpPublication): Promise<void> {
    const mandatory = { publication, returned: false };
    if (publication.properties.mandatory === true) this.#mandatory.add(mandatory);
    try {
      await this.#send(publication);
    } finally {
      this.#mandatory.delete(mandatory);
    }
    // A message is given back before it is confirmed.
    if (mandatory.returned)
      throw new GatewayError(502, "RabbitMQ has no queue for the message (312 NO_ROUTE)");
  }

  #send({ exchange, key, content, properties }: AmqpPublication): Promise<void> {
    return new Promise((resolve, reject) => {
      const confirmed = (error: unknown) => {
        if (error === null || error === undefined) resolve();
        else reject(amqpFailure(error, "RabbitMQ did not confirm the message"));
      };
      try {
        this.#channel.publish(exchange, key, content, properties, confirmed);
      } catch (error) {
        reject(sendingFailure(error));
      }
    });
  }

  /** The broker does not say which message it gives back; those that are alike in everything share their fate. */
  #noteReturned({ fields, properties, content }: Message): void {
    for (const mandatory of this.#mandatory) {
      const { publication, returned } = mandatory;
      if (returned || publication.exchange !== fields.exchange || publication.key !== fields.routingKey)
        continue;
      if (!publication.content.equals(content)) continue;
      if (!isDeepStrictEqual({ ...publication.properties.headers }, { ...properties.headers })) continue;
      mandatory.returned = true;
      return;
    }
  }
}

/** A channel that is gone is another one soon; what the client cannot put into a frame, it never can. */
function sendingFailure(error: unknown): GatewayError {
  if (error instanceof Error && error.name === "IllegalOperationError") {
    return new GatewayError(502, "RabbitMQ is not connected", { cause: error });
  }
  const message = "The message has metadata or properties that AMQP 0.9.1 cannot hold";
  return new GatewayError(502, message, { cause: error, retryable: false });
}
