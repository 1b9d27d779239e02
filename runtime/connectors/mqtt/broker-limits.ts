import type { IConnackPacket } from "mqtt";
import { GatewayError } from "../../errors.ts";
import type { Quality } from "./grammar.ts";
import type { PublishProperties } from "./properties.ts";

/** A message as it is to be published. */
export interface Outgoing {
  readonly topic: string;
  readonly payload: Uint8Array;
  readonly qos: Quality;
  readonly retain: boolean;
  readonly properties: PublishProperties | undefined;
}

/**
 * Why the broker would end the connection over a message, by what a broker of MQTT 5 said of itself when it was
 * connected to; `undefined` where it would not, or did not say.
 */
export function refusalOf(
  { maximumQoS, retainAvailable, maximumPacketSize }: NonNullable<IConnackPacket["properties"]>,
  outgoing: Outgoing,
): GatewayError | undefined {
  if (maximumQoS !== undefined && outgoing.qos > maximumQoS)
    return refused(`The MQTT broker takes no quality of service above ${maximumQoS}`);
  if (retainAvailable === false && outgoing.retain)
    return refused("The MQTT broker keeps no retained messages");
  if (maximumPacketSize !== undefined && packetSize(outgoing) > maximumPacketSize)
    return refused(`The MQTT broker takes no message of more than ${maximumPacketSize} bytes`);
  return undefined;
}

function refused(message: string): GatewayError {
  return new GatewayError(502, message, { retryable: false });
}

/** Bytes of a PUBLISH packet (MQTT 5, section 3.3). */
function packetSize({ topic, payload, qos, properties = {} }: Outgoing): number {
  const beside = propertiesSize(properties);
  const rest = textSize(topic) + (qos === 0 ? 0 : 2) + numberSize(beside) + beside + payload.byteLength;
  return 1 + numberSize(rest) + rest;
}

function propertiesSize(properties: PublishProperties): number {
  const {
    contentType,
    responseTopic,
    correlationData,
    messageExpiryInterval,
    userProperties = {},
  } = properties;
  const texts = [contentType, responseTopic].filter((text) => text !== undefined);
  const pairs = Object.entries(userProperties).map(
    ([name, value]) => textSize(name) + textSize(String(value)),
  );
  const sizes = [...texts.map(textSize), ...pairs];
  if (correlationData !== undefined) sizes.push(2 + correlationData.byteLength);
  if (messageExpiryInterval !== undefined) sizes.push(4);
  return sizes.reduce((sum, size) => sum + 1 + size, 0); // each behind a byte that says which one it is
}

function textSize(text: string): number {
  return 2 + Buffer.byteLength(text);
}

/** Bytes of a number of variable length: seven bits each. */
function numberSize(value: number): number {
  return value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x20_0000 ? 3 : 4;
}
