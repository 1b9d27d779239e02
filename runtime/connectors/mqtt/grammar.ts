// What MQTT can carry. A broker ends the connection over what it cannot read, and with it other messages.

import type { Text } from "../../component/text.ts";
import { GatewayError } from "../../errors.ts";
import { mqttText, mqttTopic, mqttUnreservedTopic } from "../../generated/formats.ts";
import { type CheckText, checkText, formOf, unfitText } from "../../grammar/computed-text.ts";

/** Topics to publish to: those of the broker only where the document begins `topic` so. */
export function topicCheck(topic: Text): CheckText {
  return checkText("topic", formOf(topic, mqttTopic, mqttUnreservedTopic));
}

/** Topics for answers. */
export function responseTopicCheck(): CheckText {
  return checkText("response_topic", mqttTopic);
}

/** Gives a string of the protocol back; throws a `GatewayError` where it is not one (MQTT 5, section 1.5.4). */
export function checkString(field: string, text: string): string {
  if (!mqttText.accepts(text)) throw unfitText(field, mqttText.expected);
  return text;
}

/** The bytes of binary data of the protocol, two of which say its length; throws a `GatewayError` for more. */
export function binaryOf(field: string, text: string): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length > 65_535 || !text.isWellFormed())
    throw unfitText(field, "a text of at most 65535 bytes of UTF-8");
  return bytes;
}

/** Qualities of service: at most once, at least once, exactly once. */
export type Quality = 0 | 1 | 2;

/** A number of a document as quality of service. */
export function qualityOf(qos: number): Quality {
  if (qos !== 0 && qos !== 1 && qos !== 2) throw new GatewayError(500, "`qos` is 0, 1 or 2");
  return qos;
}
