// What Kafka can carry.

import type { Text } from "../../component/text.ts";
import { kafkaTopic, kafkaUnreservedTopic } from "../../generated/formats.ts";
import { type CheckText, checkText, formOf, unfitSize, unfitText } from "../../grammar/computed-text.ts";

/** Topics to write to: those of the brokers only where the document begins `topic` so. Brokers would have to be asked about any other, again and again. */
export function topicCheck(topic: Text): CheckText {
  return checkText("topic", formOf(topic, kafkaTopic, kafkaUnreservedTopic));
}

/** Gives a text back that has bytes of its own: halves of characters would all become the same ones. */
export function checkEncodable(field: string, text: string): string {
  if (!text.isWellFormed()) throw unfitText(field, "a text that UTF-8 can hold");
  return text;
}

/** Throws a `GatewayError` for a record of `size` bytes where `largest` are as many as one may have. */
export function checkSize(size: number, largest: number): void {
  if (size > largest) throw unfitSize(`The message is larger than the ${largest} bytes a record may have`);
}
