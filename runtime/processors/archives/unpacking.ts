// What all formats that archives are read in have in common.

import type { Processor } from "../../component/component.ts";
import { MappingError, toGatewayError } from "../../errors.ts";
import { tooLarge } from "../../mapping/size-limits.ts";
import type { Message } from "../../message/message.ts";
import { type UnarchiveOptions, unarchiveDefaults } from "../generated/unarchive-options.ts";

/** How much may still come out of one message. */
export interface UnpackBudget {
  /** Takes as much for one more message; throws where there is no room for it. */
  take(bytes: number): void;
  /** Bytes left. */
  readonly left: number;
}

/**
 * What is in each message in its place, with its metadata. A message that is no such archive, or a larger one than
 * `max_bytes` and `max_messages` allow, goes on as it was, flagged.
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

/** The message with one more key among its metadata; without one where the name is empty, as in the reference engine. */
export function named(message: Message, key: string, name: string): Message {
  return name === "" ? message : message.withEntries([[key, name]]);
}

/** The room of one message. */
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
