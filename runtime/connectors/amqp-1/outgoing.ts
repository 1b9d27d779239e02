import rhea from "rhea";
import { GatewayError } from "../../errors.ts";
import { unfit, unfitText } from "../../grammar/computed-text.ts";
import { printJson } from "../../message/json.ts";
import type { Batch } from "../../message/message.ts";
import { findContentType, travellingMetadata } from "../../message/metadata.ts";
import type { Value } from "../../message/value.ts";
import { asBuffer } from "../../text/utf8.ts";
import type { Amqp1OutputOptions } from "./generated/output-options.ts";

/** Message `index` of `batch` as bytes of the protocol; throws a `GatewayError` where it cannot be put so. */
export type MakeMessage = (batch: Batch, index: number) => Buffer;

/**
 * Messages as the broker gets them. Annotations have names that begin with `x-`: a broker has to close a link on
 * which others come, and the message would come and close it again, for ever. Metadata of other names travels as
 * application properties, among which those of the mapping win.
 */
export function createMessages({ metadata, application_properties_map: map }: MessageOptions): MakeMessage {
  const excluded = metadata?.exclude_prefixes ?? [];
  return (batch, index) => {
    const source = batch[index];
    const bytes = source?.bytes() ?? new Uint8Array();
    const isPassed = (name: string) => !excluded.some((prefix) => name.startsWith(prefix));
    const passed = (source === undefined ? [] : travellingMetadata(source)).filter(([name]) =>
      isPassed(name),
    );
    const annotations = passed.filter(([name]) => name.startsWith("x-"));
    const properties = passed.filter(([name]) => !name.startsWith("x-"));
    const mapped = map === undefined ? [] : mappedProperties(map(batch, index)?.document());
    checkMetadata([...passed, ...mapped]);
    const hasType = passed.some(([name]) => name.toLowerCase() === "content-type");
    const contentType = hasType && source !== undefined ? findContentType(source) : undefined;
    const message: Record<string, unknown> = {
      durable: true,
      body: rhea.message.data_section(asBuffer(bytes)),
      message_annotations: Object.fromEntries(annotations),
      application_properties: Object.fromEntries([...properties, ...mapped]),
    };
    if (contentType !== undefined) message.content_type = contentType;
    return encode(message);
  };
}

function encode(message: object): Buffer {
  try {
    return rhea.message.encode(message);
  } catch (error) {
    const reason = "The message has metadata or properties that AMQP 1.0 cannot hold";
    throw new GatewayError(422, reason, { cause: error, retryable: false });
  }
}

type MessageOptions = Pick<Amqp1OutputOptions, "metadata" | "application_properties_map">;

/** A mapping that drops its result, or makes nothing of it, sets none. */
function mappedProperties(made: Value | undefined): readonly (readonly [string, unknown])[] {
  if (made === undefined || made === null) return [];
  if (typeof made !== "object" || Array.isArray(made) || made instanceof Uint8Array) throw noObject();
  if (Object.getPrototypeOf(made) !== Object.prototype) throw noObject();
  return Object.entries(made).map(([name, value]) => [name, propertyValue(name, value)] as const);
}

function noObject(): GatewayError {
  const message = "application_properties_map of amqp_1 made something else than an object";
  return new GatewayError(422, message, { retryable: false });
}

/** Bytes of annotations and properties together: they are the sections that brokers read as a whole. */
const largestProperties = 65_000;

/** Throws a `GatewayError` where a name or a text of the metadata is not one, or all are too large. */
function checkMetadata(metadata: readonly (readonly [name: string, value: unknown])[]): void {
  let size = 0;
  for (const [name, value] of metadata) {
    if (!name.isWellFormed()) throw unfit("A name of metadata is not a text that UTF-8 can hold");
    // Annotations are called by symbols, which are ASCII.
    if (name.startsWith("x-") && !/^[!-~]+$/.test(name))
      throw unfit("A name of metadata is not the name of an AMQP annotation");
    if (typeof value === "string" && !value.isWellFormed())
      throw unfitText("application_properties", "made of texts that UTF-8 can hold");
    size += Buffer.byteLength(name);
    if (typeof value === "string" || value instanceof Uint8Array) size += Buffer.byteLength(value);
  }
  if (size > largestProperties)
    throw unfit("The metadata of the message are larger than AMQP properties can be");
}

/** The largest values of 64 bits, with a sign and without one. */
const longest = 2n ** 63n;
const longestUnsigned = 2n ** 64n;

/**
 * A value of the mapping language as the client takes it, whole numbers as long and others as double. Throws a
 * `GatewayError` for lists and objects, which application properties cannot hold.
 */
export function propertyValue(name: string, value: Value): unknown {
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  if (value instanceof Uint8Array) return Buffer.from(value);
  // Numbers have several forms, and one text.
  const text = printJson(value);
  if (/^-?\d+$/.test(text)) return wholeNumber(BigInt(text));
  if (/^-?[\d.]+(?:[eE][+-]?\d+)?$/.test(text)) return rhea.types.wrap_double(Number(text));
  const message = `The application property \`${name}\` of amqp_1 is neither a text, a number nor a boolean`;
  throw new GatewayError(422, message, { retryable: false });
}

function wholeNumber(value: bigint): unknown {
  if (value >= longestUnsigned || value < -longest) return rhea.types.wrap_double(Number(value));
  const bytes = Buffer.alloc(8);
  if (value >= longest) {
    bytes.writeBigUInt64BE(value);
    return rhea.types.wrap_ulong(bytes);
  }
  bytes.writeBigInt64BE(value);
  return rhea.types.wrap_long(bytes);
}
