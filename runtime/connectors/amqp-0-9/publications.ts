import { isDeepStrictEqual } from "node:util";
import type { ConfirmChannel, Message, Options } from "amqplib";
import type { Delivered } from "../../component/component.ts";
import { CountedWrite } from "../../component/outcomes.ts";
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

  /**
   * Sends all now; resolves once the broker has confirmed every one, and rejects with a `GatewayError` where it has not, when
   * it has said so of each.
   */
  publish(publications: readonly AmqpPublication[]): Promise<Delivered> {
    const write = new CountedWrite(publications.length);
    for (const publication of publications) this.#send(publication, write);
    return write.settled;
  }

  #send(publication: AmqpPublication, write: CountedWrite): void {
    const { exchange, key, content, properties } = publication;
    const mandatory = properties.mandatory === true ? { publication, returned: false } : undefined;
    if (mandatory !== undefined) this.#mandatory.add(mandatory);
    const confirmed = (error: unknown) => {
      if (mandatory !== undefined) this.#mandatory.delete(mandatory);
      if (error !== null && error !== undefined)
        write.refuse(amqpFailure(error, "RabbitMQ did not confirm the message"));
      // The broker returns a message before it confirms it.
      else if (mandatory?.returned === true)
        write.refuse(new GatewayError(502, "RabbitMQ has no queue for the message (312 NO_ROUTE)"));
      else write.confirm();
    };
    try {
      this.#channel.publish(exchange, key, content, properties, confirmed);
    } catch (error) {
      if (mandatory !== undefined) this.#mandatory.delete(mandatory);
      write.refuse(sendingFailure(error));
    }
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
