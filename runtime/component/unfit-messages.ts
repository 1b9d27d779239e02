// The error for messages of a write that their protocol cannot carry, or that their target never accepts.

import { GatewayError } from "../errors.ts";
import type { Message } from "../message/message.ts";
import type { Text } from "./text.ts";

/** The error of a write some of whose messages can never be delivered. */
export class UnfitMessages extends GatewayError {
  override readonly name = "UnfitMessages";
  /** The failures by message, as passed to the output. */
  readonly failures: ReadonlyMap<Message, GatewayError>;
  /** Whether the other messages of the write are delivered. Otherwise nothing of it was sent. */
  readonly othersDelivered: boolean;

  constructor(
    failures: ReadonlyMap<Message, GatewayError>,
    first: GatewayError,
    othersDelivered: boolean = false,
  ) {
    super(first.status, first.message, {
      retryable: false,
      cause: first.cause,
      ...(first.reason !== undefined && { reason: first.reason }),
    });
    this.failures = failures;
    this.othersDelivered = othersDelivered;
  }
}

/** Returns the error of a message that was sent, and that is itself at fault: its target never accepts it. */
export function unfitMessage(message: Message, failure: GatewayError): UnfitMessages {
  return new UnfitMessages(new Map([[message, failure]]), failure, true);
}

/**
 * Returns the error of a message to a target that the server does not let the gateway use. If the target is computed, the
 * message is at fault; otherwise no message can be delivered.
 */
export function refusedTarget(message: Message, target: Text, failure: GatewayError): GatewayError {
  return typeof target === "string" ? failure : unfitMessage(message, failure);
}
