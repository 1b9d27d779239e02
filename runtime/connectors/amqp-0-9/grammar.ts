// What AMQP 0-9-1 can carry. RabbitMQ closes the channel over what it does not take, and with it other messages.

import type { Text } from "../../component/text.ts";
import { amqpExchange, amqpShort, amqpUnreservedExchange } from "../../generated/formats.ts";
import {
  type CheckText,
  checkOptionalText,
  formOf,
  unfit,
  unfitSize,
  unfitText,
} from "../../grammar/computed-text.ts";

/** Exchanges to publish to: `amq.…` only where the document begins `exchange` so; the empty one is always there. */
export function exchangeCheck(exchange: Text): CheckText {
  return checkOptionalText("exchange", formOf(exchange, amqpExchange, amqpUnreservedExchange));
}

/** Routing keys, and properties that are short strings. */
export function shortCheck(field: string): CheckText {
  return checkOptionalText(field, amqpShort);
}

/**
 * Gives `reply_to` back; throws a `GatewayError` for the one that asks for an answer on this channel, where nothing reads
 * answers.
 */
export function checkReplyTo(queue: string): string {
  if (queue === "amq.rabbitmq.reply-to") throw unfitText("reply_to", "a queue of this broker");
  return queue;
}

/**
 * Checks a computed `user_id`, where it is known who publishes: RabbitMQ closes the channel over another. A document that
 * names one itself may have a user who is allowed to.
 */
export function userCheck(users: readonly string[] | undefined): CheckText {
  return (user) => {
    if (user !== "" && users?.includes(user) === false)
      throw unfitText("user_id", "the user of the connection");
    return user;
  };
}

/** Gives `expiration` back; throws a `GatewayError` for what is not a number of milliseconds that RabbitMQ takes. */
export function checkExpiration(text: string): string {
  if (!/^\d{1,10}$/.test(text) || Number(text) > 0xffff_ffff)
    throw unfitText("expiration", "a number of milliseconds");
  return text;
}

/** `priority` as a number; throws a `GatewayError` for what is not one. */
export function priorityOf(text: string): number {
  if (!/^\d{1,3}$/.test(text) || Number(text) > 255) throw unfitText("priority", "a number from 0 to 255");
  return Number(text);
}

/** Bytes of all headers: the client has room for 64 KiB of them, and a frame takes the properties besides. */
const largestHeaders = 65_000;

/** Headers that RabbitMQ reads as lists of further routing keys. */
const routingHeaders: readonly string[] = ["CC", "BCC"];

/** Throws a `GatewayError` where one of the headers, or all together, are none. */
export function checkHeaders(
  headers: readonly (readonly [name: string, value: string | Uint8Array])[],
): void {
  let size = 4;
  for (const [name, value] of headers) {
    const isName = name.isWellFormed() && Buffer.byteLength(name) <= 255 && !routingHeaders.includes(name);
    if (!isName) throw unfit("A name of metadata is not the name of an AMQP header");
    if (typeof value === "string" && !value.isWellFormed())
      throw unfitText(`headers.${name}`, "a text that UTF-8 can hold");
    size += Buffer.byteLength(name) + Buffer.byteLength(value) + 6;
  }
  if (size > largestHeaders)
    throw unfitSize("The metadata of the message are larger than AMQP headers can be");
}
