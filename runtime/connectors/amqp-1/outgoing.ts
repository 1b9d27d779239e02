import rhea from "rhea";
import { GatewayError } from "../../errors.ts";
import type { Batch } from "../../message/message.ts";
import { findContentType, travellingMetadata } from "../../message/metadata.ts";
import type { Value } from "../../message/value.ts";
import type { Amqp1OutputOptions } from "./generated/output-options.ts";
import { checkMetadata } from "./grammar.ts";
import { propertyValue } from "./property-value.ts";

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
      body: rhea.message.data_section(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)),
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
