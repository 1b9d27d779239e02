import type { IPublishPacket } from "mqtt";
import { type Text, textOf } from "../../component/text.ts";
import { GatewayError } from "../../errors.ts";
import type { Batch } from "../../message/message.ts";
import { filterMetadata } from "../../message/metadata.ts";
import type { NameTest } from "../../message/name-filter.ts";
import { binaryOf, checkString, responseTopicCheck } from "./grammar.ts";

/** The properties of a published message in MQTT 5. */
export type PublishProperties = NonNullable<IPublishPacket["properties"]>;

/** The options that define the properties. */
export interface PropertyOptions {
  readonly content_type?: Text;
  readonly response_topic?: Text;
  readonly correlation_data?: Text;
  /** Milliseconds. */
  readonly message_expiry?: number;
  readonly user_properties?: Readonly<Record<string, Text>>;
  /** Selects the metadata that are sent as user properties. */
  readonly metadata?: NameTest | undefined;
}

/** The names of these options. */
export const propertyNames = [
  "content_type",
  "response_topic",
  "correlation_data",
  "message_expiry",
  "user_properties",
  "metadata",
] as const satisfies readonly (keyof PropertyOptions)[];

/**
 * Throws a `GatewayError` if options are set that the protocol version does not support. The build of the gateway
 * checks this for values in the document, but the version may come from the environment.
 */
export function requireVersion<Name extends string>(
  options: { readonly [N in Name]?: unknown } & { readonly protocol_version: number },
  names: readonly Name[],
): void {
  const name = names.find((each) => options[each] !== undefined);
  if (name === undefined || options.protocol_version === 5) return;
  throw new GatewayError(500, `\`${name}\` works only with protocol_version: 5`);
}

/** Returns the properties of message `index` of `batch`; `undefined` if it has none. */
export type MakeProperties = (batch: Batch, index: number) => PublishProperties | undefined;

/**
 * Returns a function that creates the properties of messages.
 * It throws a `GatewayError` for a text that MQTT cannot carry.
 */
export function createPropertyMaker(options: PropertyOptions): MakeProperties {
  if (propertyNames.every((name) => options[name] === undefined)) return () => undefined;
  const { content_type, response_topic, correlation_data, message_expiry } = options;
  const checkResponseTopic = responseTopicCheck();
  return (batch, index) => {
    const text = (value: Text) => textOf(value, batch, index);
    // A topic that is computed as an empty text is left out.
    const responseTopic = response_topic === undefined ? "" : text(response_topic);
    const userProperties = userPropertiesOf(options, batch, index);
    return {
      ...(content_type !== undefined && { contentType: checkString("content_type", text(content_type)) }),
      ...(responseTopic !== "" && { responseTopic: checkResponseTopic(responseTopic) }),
      ...(correlation_data !== undefined && {
        correlationData: binaryOf("correlation_data", text(correlation_data)),
      }),
      ...(message_expiry !== undefined && { messageExpiryInterval: Math.ceil(message_expiry / 1000) }),
      ...(userProperties !== undefined && { userProperties }),
    };
  };
}

/** Returns the selected metadata and the fixed properties, which override them. */
function userPropertiesOf(
  { metadata, user_properties = {} }: PropertyOptions,
  batch: Batch,
  index: number,
): Record<string, string> | undefined {
  const message = batch[index];
  const passed = metadata === undefined || message === undefined ? [] : filterMetadata(message, metadata);
  const fixed = Object.entries(user_properties).map(
    ([name, text]) => [name, textOf(text, batch, index)] as const,
  );
  const all = [...passed, ...fixed];
  if (all.length === 0) return undefined;
  return Object.fromEntries(
    all.map(([name, value]) => [checkString("user_properties", name), checkString("user_properties", value)]),
  );
}
