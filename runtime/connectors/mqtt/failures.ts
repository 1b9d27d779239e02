import { ReasonCodes } from "mqtt";
import type { Text } from "../../component/text.ts";
import { refusedTarget, unfitMessage } from "../../component/unfit-messages.ts";
import { GatewayError } from "../../errors.ts";
import type { Message } from "../../message/message.ts";

/** Reason codes of MQTT 5 for which the same message is refused every time. */
const lasting: ReadonlySet<number> = new Set([135, 144, 149, 153, 154, 155]);

/** Reason codes of MQTT 5 by which a broker refuses the topic of a message, and the message itself. */
const refusals = { topic: [135, 144], message: [149, 153] };

/** As `mqttFailure`, for a message to a topic. */
export function publicationFailure(error: unknown, message: Message, topic: Text): GatewayError {
  const failure = mqttFailure(error, "The MQTT broker did not accept the message");
  const code = error instanceof Error && "code" in error ? Number(error.code) : 0;
  if (refusals.message.includes(code)) return unfitMessage(message, failure);
  return refusals.topic.includes(code) ? refusedTarget(message, topic, failure) : failure;
}

/**
 * Converts a failure of the client to a `GatewayError` for callers, with the reason of the broker if it gave one,
 * otherwise with the code of the system error.
 */
export function mqttFailure(error: unknown, message: string): GatewayError {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (typeof code === "number") {
    return new GatewayError(502, `${message}: ${reasonText(code)}`, {
      cause: error,
      retryable: !lasting.has(code),
    });
  }
  return new GatewayError(502, typeof code === "string" ? `${message} (${code})` : message, { cause: error });
}

/** Returns a reason code in words: `Not authorized (135)`. */
export function reasonText(code: number): string {
  const known: Readonly<Record<number, string>> = ReasonCodes;
  return `${known[code] ?? "Unknown reason"} (${code})`;
}
