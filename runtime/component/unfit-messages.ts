// The error for messages of a write that their protocol cannot carry, or that their target never accepts.

import { GatewayError } from "../errors.ts";
import { noteFailureAt, placeOf } from "../failures/place.ts";
import type { Message } from "../message/message.ts";
import type { Text } from "./text.ts";

/** The error of a write some of whose messages can never be delivered. */
export class UnfitMessages extends GatewayError {
  override readonly name = "UnfitMessages";
  /** The failures by message, as passed to the output. */
  readonly failures: ReadonlyMap<Message, GatewayError>;
  /**
   * Whether the other messages of the write are delivered. Otherwise at least one output of it was sent nothing, and they are
   * to be written again.
   */
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

  /** As in `GatewayError`. Messages that were made into others on their way are not known here: then it is all of them. */
  override undelivered<M>(messages: readonly M[]): readonly M[] {
    if (!this.othersDelivered) return messages;
    const failures: ReadonlyMap<unknown, GatewayError> = this.failures;
    const failed = messages.filter((message) => failures.has(message));
    return failed.length === failures.size ? failed : messages;
  }

  /** As in `GatewayError`. A part that failed in another way decides: its messages may yet be delivered. */
  override joined(failures: readonly unknown[]): unknown {
    if (failures.length === 1) return this;
    const all = new Map<Message, GatewayError>();
    let othersDelivered = true;
    for (const failure of failures) {
      if (!(failure instanceof UnfitMessages)) return failure;
      for (const [message, own] of failure.failures) all.set(message, own);
      othersDelivered &&= failure.othersDelivered;
    }
    const joined = new UnfitMessages(all, this, othersDelivered);
    const place = placeOf(this);
    if (place !== undefined) noteFailureAt(joined, place);
    return joined;
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
