// Code shared by all archive formats for reading.

import type { Processor } from "../../component/component.ts";
import { MappingError, toGatewayError } from "../../errors.ts";
import { tooLarge } from "../../mapping/size-limits.ts";
import type { Message } from "../../message/message.ts";
import { type UnarchiveOptions, unarchiveDefaults } from "../generated/unarchive-options.ts";

/** The remaining budget for unpacking one message. */
export interface UnpackBudget {
  /** Spends the budget for one more message of `bytes`. Throws if it is exceeded. */
  take(bytes: number): void;
  /** The bytes left. */
  readonly left: number;
}

/**
 * Replaces each message by its entries, with its metadata. A message that is not a valid archive, or exceeds
 * `max_bytes` or `max_messages`, continues unchanged, marked as failed.
 */
export function unarchiving(
  options: UnarchiveOptions,
  unpack: (message: Message, room: UnpackBudget) => readonly Message[],
): Processor {
  const { max_bytes: maxBytes, max_messages: maxMessages } = { ...unarchiveDefaults, ...options };
  function unarchive(message: Message): readonly Message[] {
    try {
      return unpack(message, createRoom(maxBytes, maxMessages));
    } catch (error) {
      return [message.withFailure(toGatewayError(error, 500, "failed to unarchive the message"))];
    }
  }
  return {
    process(batch) {
      const unpacked = batch.flatMap(unarchive);
      return unpacked.length === 0 ? [] : [unpacked];
    },
  };
}

/** Returns the message with one more metadata entry. An empty name adds none, as in the reference engine. */
export function named(message: Message, key: string, name: string): Message {
  return name === "" ? message : message.withEntries([[key, name]]);
}

/** Returns the budget for one message. */
export function createRoom(maxBytes: number, maxMessages: number): UnpackBudget {
  let left = maxBytes;
  let messages = 0;
  return {
    take(bytes) {
      left -= bytes;
      messages++;
      if (left < 0) throw tooLarge(maxBytes);
      if (messages > maxMessages) {
        throw new MappingError(`the archive holds more messages than the limit of ${maxMessages}`);
      }
    },
    get left() {
      return Math.max(left, 0);
    },
  };
}
