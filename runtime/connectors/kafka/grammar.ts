// The limits of names, texts and sizes in Kafka.

import type { Text } from "../../component/text.ts";
import { kafkaTopic, kafkaUnreservedTopic } from "../../generated/formats.ts";
import { type CheckText, checkText, formOf, unfitSize, unfitText } from "../../grammar/computed-text.ts";

/**
 * Returns the check for topics to write to. Reserved topics are allowed only if the fixed beginning of `topic` names
 * one. Without this check, clients would request metadata of invalid names again and again.
 */
export function topicCheck(topic: Text): CheckText {
  return checkText("topic", formOf(topic, kafkaTopic, kafkaUnreservedTopic));
}

/** Returns the text. Throws if it contains a lone surrogate: UTF-8 would encode all of those as the same bytes. */
export function checkEncodable(field: string, text: string): string {
  if (!text.isWellFormed()) throw unfitText(field, "a text that UTF-8 can hold");
  return text;
}

/** Throws a `GatewayError` if a record of `size` bytes exceeds `largest`. */
export function checkSize(size: number, largest: number): void {
  if (size > largest) throw unfitSize(`The message is larger than the ${largest} bytes a record may have`);
}
