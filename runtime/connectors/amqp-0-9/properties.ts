import type { Options } from "amqplib";
import { type Text, textOf } from "../../component.ts";
import { GatewayError } from "../../errors.ts";
import type { Batch } from "../../message.ts";
import { travellingMetadata } from "../../metadata.ts";
import type { Amqp09OutputOptions } from "./generated/output-options.ts";

/** What a message is published with, for message `index` of `batch`. */
export type MakeProperties = (batch: Batch, index: number) => Options.Publish;

/** Properties of published messages. What it makes throws a `GatewayError` where a text cannot be one. */
export function createProperties(options: Amqp09OutputOptions): MakeProperties {
  const texts = textProperties.flatMap(([key, field]) => {
    const text = options[field];
    return text === undefined || text === "" ? [] : [[key, text] as const];
  });
  const { persistent = false, mandatory = false, expiration = "", priority = "" } = options;
  const excluded = options.metadata?.exclude_prefixes ?? [];
  return (batch, index) => {
    const properties: Options.Publish = { persistent, mandatory };
    for (const [key, text] of texts) {
      const value = textOf(text, batch, index);
      if (value !== "") properties[key] = value;
    }
    setNumbers(properties, textOf(expiration, batch, index), textOf(priority, batch, index));
    const headers = headersOf(batch, index, excluded);
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

/** A broker closes the channel, and fails other messages with it, over numbers that are none. */
function setNumbers(properties: Options.Publish, expiration: string, priority: string): void {
  if (expiration !== "") {
    if (!/^\d{1,10}$/.test(expiration)) throw unfit("expiration", "a number of milliseconds");
    properties.expiration = expiration;
  }
  if (priority !== "") {
    if (!/^\d{1,3}$/.test(priority) || Number(priority) > 255)
      throw unfit("priority", "a number from 0 to 255");
    properties.priority = Number(priority);
  }
}

function unfit(field: string, expected: string): GatewayError {
  const message = `What \`${field}\` of amqp_0_9 was computed to is not ${expected}`;
  return new GatewayError(502, message, { retryable: false });
}

function headersOf(
  batch: Batch,
  index: number,
  excluded: readonly string[],
): Record<string, string | Buffer> | undefined {
  const metadata = batch[index]?.metadata;
  if (metadata === undefined || metadata.size === 0) return undefined;
  const passed = travellingMetadata(metadata).filter(
    ([name]) => !excluded.some((prefix) => name.startsWith(prefix)),
  );
  // Made from entries: a header named `__proto__` is a header like any other.
  return Object.fromEntries(
    passed.map(([name, value]) => [name, typeof value === "string" ? value : Buffer.from(value)]),
  );
}
