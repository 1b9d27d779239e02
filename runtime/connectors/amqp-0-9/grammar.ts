// The limits of texts in AMQP 0-9-1 (section 4.2.5.3). RabbitMQ closes the channel if it rejects something, which loses other messages.

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

/**
 * Returns the check for exchanges. `amq.…` is allowed only if the fixed beginning of `exchange` names one; the empty
 * exchange always exists.
 */
export function exchangeCheck(exchange: Text): CheckText {
  return checkOptionalText("exchange", formOf(exchange, amqpExchange, amqpUnreservedExchange));
}

/** Returns the check for routing keys, and for properties that are short strings. */
export function shortCheck(field: string): CheckText {
  return checkOptionalText(field, amqpShort);
}

/**
 * Returns `reply_to`. Throws a `GatewayError` for the name that requests a response on this channel (direct
 * reply-to), where nothing reads responses.
 */
export function checkReplyTo(queue: string): string {
  if (queue === "amq.rabbitmq.reply-to") throw unfitText("reply_to", "a queue of this broker");
  return queue;
}

/**
 * Returns the check for a computed `user_id`. Allows only the users of the connection, if they are known: RabbitMQ
 * closes the channel for others. If a document contains a fixed user, that user may be allowed to impersonate others.
 */
export function userCheck(users: readonly string[] | undefined): CheckText {
  return (user) => {
    if (user !== "" && users?.includes(user) === false)
      throw unfitText("user_id", "the user of the connection");
    return user;
  };
}

/** Returns `expiration`; throws a `GatewayError` if it is not a number of milliseconds that RabbitMQ accepts. */
export function checkExpiration(text: string): string {
  if (!/^\d{1,10}$/.test(text) || Number(text) > 0xffff_ffff)
    throw unfitText("expiration", "a number of milliseconds");
  return text;
}

/** Returns `priority` as a number; throws a `GatewayError` if it is not a number from 0 to 255. */
export function priorityOf(text: string): number {
  if (!/^\d{1,3}$/.test(text) || Number(text) > 255) throw unfitText("priority", "a number from 0 to 255");
  return Number(text);
}

/**
 * Largest size of all headers, in bytes:
 * the client has room for 64 KiB of them, and the frame also holds the properties.
 */
const largestHeaders = 65_000;

/** Headers that RabbitMQ reads as lists of further routing keys. */
const routingHeaders: readonly string[] = ["CC", "BCC"];

/** Throws a `GatewayError` if a header is invalid, or if all headers together are too large. */
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
