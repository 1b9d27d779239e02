import { isDeepStrictEqual } from "node:util";
import type { ConfirmChannel, MessageProperties, Options, Message as ReturnedMessage } from "amqplib";
import type { MessageOutcome } from "../../component/outcomes.ts";
import { type Text, textOf } from "../../component/text.ts";
import { failedMessage, unfitMessage } from "../../component/unfit-messages.ts";
import { GatewayError } from "../../errors.ts";
import type { Batch, Message } from "../../message/message.ts";
import { travellingMetadata } from "../../message/metadata.ts";
import { usersOf } from "./addresses.ts";
import { amqpFailure } from "./client.ts";
import type { Amqp09OutputOptions } from "./generated/output-options.ts";
import { checkExpiration, checkHeaders, checkReplyTo, priorityOf, shortCheck, userCheck } from "./grammar.ts";

/** Returns the publish options of message `index` of `batch`. */
export type MakeAmqpProperties = (batch: Batch, index: number) => Options.Publish;

/**
 * Returns a function that creates the properties of messages.
 * It throws a `GatewayError` if a text is not valid in one.
 */
export function createProperties(options: Amqp09OutputOptions): MakeAmqpProperties {
  const { user_id: user } = options;
  const checkUser = userCheck(typeof user === "function" ? usersOf(options) : undefined);
  const texts = textProperties.flatMap(([key, field]) => {
    const text = options[field];
    return text === undefined || text === "" ? [] : [[key, text, shortCheck(field)] as const];
  });
  const { persistent = false, mandatory = false, expiration = "", priority = "" } = options;
  const excluded = options.metadata?.exclude_prefixes ?? [];
  // Every name starts with an empty prefix: no metadata are sent, so none have to be read.
  const hasHeaders = !excluded.includes("");
  return (batch, index) => {
    const properties: Options.Publish = { persistent, mandatory };
    for (const [key, text, check] of texts) {
      const value = check(textOf(text, batch, index));
      if (key === "replyTo") checkReplyTo(value);
      else if (key === "userId") checkUser(value);
      if (value !== "") properties[key] = value;
    }
    const milliseconds = textOf(expiration, batch, index);
    if (milliseconds !== "") properties.expiration = checkExpiration(milliseconds);
    const level = textOf(priority, batch, index);
    if (level !== "") properties.priority = priorityOf(level);
    const headers = hasHeaders ? headersOf(batch, index, excluded) : undefined;
    return headers === undefined ? properties : { ...properties, headers };
  };
}

/** The text properties, and the fields that define them. */
const textProperties = [
  ["type", "type"],
  ["contentType", "content_type"],
  ["contentEncoding", "content_encoding"],
  ["correlationId", "correlation_id"],
  ["replyTo", "reply_to"],
  ["messageId", "message_id"],
  ["userId", "user_id"],
  ["appId", "app_id"],
] as const satisfies readonly (readonly [keyof Options.Publish, keyof Amqp09OutputOptions & TextField])[];

type TextField = {
  readonly [K in keyof Amqp09OutputOptions]-?: Text extends Amqp09OutputOptions[K] ? K : never;
}[keyof Amqp09OutputOptions];

/** Headers with further routing keys, to whose queues RabbitMQ sends copies (sender-selected distribution). */
const routingHeaders: ReadonlySet<string> = new Set(["CC", "BCC"]);

function headersOf(
  batch: Batch,
  index: number,
  excluded: readonly string[],
): Record<string, string | Buffer> | undefined {
  const message = batch[index];
  if (message === undefined || message.metadata.size === 0) return undefined;
  const passed = travellingMetadata(message, excluded).filter(([name]) => !routingHeaders.has(name));
  checkHeaders(passed);
  // Created from entries: a header named `__proto__` is a header like any other.
  return Object.fromEntries(
    passed.map(([name, value]) => [name, typeof value === "string" ? value : Buffer.from(value)]),
  );
}

/** A message to publish to an exchange. */
export interface AmqpPublication {
  /** The message of the batch that is published. */
  readonly message: Message;
  readonly exchange: string;
  readonly key: string;
  readonly content: Buffer;
  readonly properties: Options.Publish;
}

/** A message that the broker returns if no queue accepts it. */
interface Mandatory {
  readonly publication: AmqpPublication;
  returned: boolean;
}

/** A message on its way to the broker. */
export interface AmqpSent {
  readonly publication: AmqpPublication;
  readonly outcome: MessageOutcome;
}

/** The messages that a channel sends, until the broker has confirmed them. */
export class AmqpPublications {
  readonly #channel: ConfirmChannel;
  /** In the order in which they were sent. */
  readonly #mandatory = new Set<Mandatory>();
  #hasEnded = false;
  /** Filled while the channel ends. */
  readonly #unconfirmed: AmqpSent[] = [];

  /**
   * `onEnd` is called when the channel has ended, with the messages that were not confirmed, in order, and with the reason
   * of the broker, if it gave one.
   */
  constructor(
    channel: ConfirmChannel,
    onEnd: (unconfirmed: readonly AmqpSent[], fault: Error | undefined) => void,
  ) {
    this.#channel = channel;
    channel.on("return", (message: ReturnedMessage) => this.#noteReturned(message));
    let fault: Error | undefined;
    channel.on("error", (error: Error) => {
      fault = error;
    });
    // The client's own listener fails the unconfirmed messages: it runs between these.
    channel.prependListener("close", () => {
      this.#hasEnded = true;
    });
    channel.on("close", () => onEnd(this.#unconfirmed, fault));
  }

  /** Sends a message now. Its outcome is known when the broker has confirmed it, unless the channel ends before. */
  send(sent: AmqpSent): void {
    const { publication, outcome } = sent;
    const { exchange, key, content, properties, message } = publication;
    const mandatory = properties.mandatory === true ? { publication, returned: false } : undefined;
    if (mandatory !== undefined) this.#mandatory.add(mandatory);
    const confirmed = (error: unknown) => {
      if (mandatory !== undefined) this.#mandatory.delete(mandatory);
      if (error !== null && error !== undefined) {
        if (this.#hasEnded) this.#unconfirmed.push(sent);
        else outcome.refuse(failedMessage(message, notConfirmed(error)));
      }
      // The broker returns a message before it confirms it.
      else if (mandatory?.returned === true) {
        const failure = new GatewayError(502, "RabbitMQ has no queue for the message (312 NO_ROUTE)");
        outcome.refuse(failedMessage(message, failure));
      } else outcome.confirm();
    };
    try {
      this.#channel.publish(exchange, key, content, properties, confirmed);
    } catch (error) {
      if (mandatory !== undefined) this.#mandatory.delete(mandatory);
      outcome.refuse(failedMessage(message, sendingFailure(message, error)));
    }
  }

  /**
   * Finds the returned message by what it carries, as the broker does not identify it: of equal messages, the oldest. If
   * none is equal, because a plugin has added headers or the client cannot read one, all with its content are marked: one
   * of them is delivered nowhere.
   */
  #noteReturned({ fields, properties, content }: ReturnedMessage): void {
    const alike: Mandatory[] = [];
    for (const mandatory of this.#mandatory) {
      const { publication, returned } = mandatory;
      if (returned || publication.exchange !== fields.exchange || publication.key !== fields.routingKey)
        continue;
      if (!publication.content.equals(content)) continue;
      if (hasProperties(publication, properties)) {
        mandatory.returned = true;
        return;
      }
      alike.push(mandatory);
    }
    for (const mandatory of alike) mandatory.returned = true;
  }
}

/** Returns the failure of a message that the broker did not confirm. */
export function notConfirmed(error: unknown): GatewayError {
  return amqpFailure(error, "RabbitMQ did not confirm the message");
}

/** Returns whether a returned message has the properties with which it would have been published. */
function hasProperties({ properties }: AmqpPublication, returned: MessageProperties): boolean {
  return (
    isDeepStrictEqual({ ...properties.headers }, { ...returned.headers }) &&
    properties.priority === returned.priority &&
    properties.expiration === returned.expiration &&
    textProperties.every(([key]) => properties[key] === returned[key])
  );
}

/** Converts a failure to send. A lost channel is soon replaced; what the client cannot encode can never be sent. */
function sendingFailure(message: Message, error: unknown): GatewayError {
  if (error instanceof Error && error.name === "IllegalOperationError") {
    return new GatewayError(502, "RabbitMQ is not connected", { cause: error });
  }
  const text = "The message has metadata or properties that AMQP 0.9.1 cannot hold";
  return unfitMessage(message, new GatewayError(502, text, { cause: error, retryable: false }));
}
