// The limits of MQTT. A broker that receives an invalid packet ends the connection, which loses other messages.

import type { Text } from "../../component/text.ts";
import { GatewayError } from "../../errors.ts";
import { mqttText, mqttTopic, mqttUnreservedTopic } from "../../generated/formats.ts";
import { type CheckText, checkText, formOf, unfitText } from "../../grammar/computed-text.ts";

/**
 * Returns the check for topics to publish to.
 * Reserved topics are allowed only if the fixed beginning of `topic` names one.
 */
export function topicCheck(topic: Text): CheckText {
  return checkText("topic", formOf(topic, mqttTopic, mqttUnreservedTopic));
}

/** Returns the check for response topics. */
export function responseTopicCheck(): CheckText {
  return checkText("response_topic", mqttTopic);
}

/** Returns a valid string of the protocol; throws a `GatewayError` if `text` is not one (MQTT 5, section 1.5.4). */
export function checkString(field: string, text: string): string {
  if (!mqttText.accepts(text)) throw unfitText(field, mqttText.expected);
  return text;
}

/**
 * Returns the bytes of binary data, whose length the protocol stores in two bytes;
 * throws a `GatewayError` if it is longer.
 */
export function binaryOf(field: string, text: string): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length > 65_535 || !text.isWellFormed())
    throw unfitText(field, "a text of at most 65535 bytes of UTF-8");
  return bytes;
}

/** Quality of service: at most once, at least once, exactly once. */
export type Quality = 0 | 1 | 2;

/** Converts a number to a quality of service. Throws a `GatewayError` if it is not one. */
export function qualityOf(qos: number): Quality {
  if (qos !== 0 && qos !== 1 && qos !== 2) throw new GatewayError(500, "`qos` is 0, 1 or 2");
  return qos;
}
