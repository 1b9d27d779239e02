import type { Options } from "amqplib";
import { type Text, textOf } from "../../component/text.ts";
import type { Batch } from "../../message/message.ts";
import { travellingMetadata } from "../../message/metadata.ts";
import { usersOf } from "./addresses.ts";
import type { Amqp09OutputOptions } from "./generated/output-options.ts";
import { checkExpiration, checkHeaders, checkReplyTo, priorityOf, shortCheck, userCheck } from "./grammar.ts";

/** What a message is published with, for message `index` of `batch`. */
export type MakeAmqpProperties = (batch: Batch, index: number) => Options.Publish;

/** Properties of published messages. What it makes throws a `GatewayError` where a text cannot be one. */
export function createProperties(options: Amqp09OutputOptions): MakeAmqpProperties {
  const { user_id: user } = options;
  const checkUser = userCheck(typeof user === "function" ? usersOf(options) : undefined);
  const texts = textProperties.flatMap(([key, field]) => {
    const text = options[field];
    return text === undefined || text === "" ? [] : [[key, text, shortCheck(field)] as const];
  });
  const { persistent = false, mandatory = false, expiration = "", priority = "" } = options;
  const excluded = options.metadata?.exclude_prefixes ?? [];
  // Every name begins with an empty text: nothing is passed on, and nothing has to be read.
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

/** Properties that are texts, and the fields that make them. */
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

/** RabbitMQ sends copies to the queues that these name (sender-selected distribution). */
const routingHeaders: ReadonlySet<string> = new Set(["CC", "BCC"]);

function headersOf(
  batch: Batch,
  index: number,
  excluded: readonly string[],
): Record<string, string | Buffer> | undefined {
  const message = batch[index];
  if (message === undefined || message.metadata.size === 0) return undefined;
  const passed = travellingMetadata(message).filter(
    ([name]) => !routingHeaders.has(name) && !excluded.some((prefix) => name.startsWith(prefix)),
  );
  checkHeaders(passed);
  // Made from entries: a header named `__proto__` is a header like any other.
  return Object.fromEntries(
    passed.map(([name, value]) => [name, typeof value === "string" ? value : Buffer.from(value)]),
  );
}
