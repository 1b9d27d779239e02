// Processors that select the messages of a batch: `select_parts`, `insert_part`, `split` and `bounds_check`.

import type { Processor } from "../component/component.ts";
import { textOf } from "../component/text.ts";
import { toGatewayError } from "../errors.ts";
import { warnOfMessages } from "../failures/failure-log.ts";
import { type Batch, Message } from "../message/message.ts";
import { encodeUtf8 } from "../text/utf8.ts";
import { type BoundsCheckOptions, boundsCheckDefaults } from "./generated/bounds-check-options.ts";
import { type InsertPartOptions, insertPartDefaults } from "./generated/insert-part-options.ts";
import { type SelectPartsOptions, selectPartsDefaults } from "./generated/select-parts-options.ts";
import { type SplitOptions, splitDefaults } from "./generated/split-options.ts";

/**
 * `select_parts`: keeps only the messages at the indexes `parts`, in that order; -1 is the last one. Indexes outside
 * the batch are ignored. The other messages are dropped, and acknowledged with those that continue.
 */
export function selectParts(options: SelectPartsOptions): Processor {
  const { parts } = { ...selectPartsDefaults, ...options };
  return {
    process(batch) {
      const selected = parts.flatMap((part) => batch.at(part) ?? []);
      return selected.length === 0 ? [] : [selected];
    },
  };
}

/**
 * Inserts a message at `index`: -1 is after the last message, and indexes beyond the ends are limited to the ends.
 * `content` is evaluated on the first message of the batch. The new message has the metadata and the failure of the
 * first message, but no position in a source. If its content cannot be computed, the first message is marked as failed
 * and the batch is unchanged.
 */
export function insertPart(options: InsertPartOptions): Processor {
  const { index, content } = { ...insertPartDefaults, ...options };
  return {
    process(batch) {
      const at = index < 0 ? Math.max(batch.length + 1 + index, 0) : Math.min(index, batch.length);
      try {
        // The place of a neighbour, for a batch that is part of another one.
        const place = (batch[at] ?? batch.at(-1))?.place ?? 0;
        const part = beside(batch[0], encodeUtf8(textOf(content, batch, 0))).withPlace(place);
        return [batch.toSpliced(at, 0, part)];
      } catch (error) {
        const failure = toGatewayError(error, 500, "the content of an inserted message failed");
        return [batch.map((message, position) => (position === 0 ? message.withFailure(failure) : message))];
      }
    },
  };
}

function beside(first: Message | undefined, content: Uint8Array): Message {
  const part = Message.fromBytes(content, first?.metadata, undefined, first?.parameters);
  return first?.failure === undefined ? part : part.withFailure(first.failure, first.failureSource);
}

/**
 * Splits a batch into batches of up to `size` messages and `byte_size` bytes; 0 is no limit. A message that exceeds
 * `byte_size` becomes a separate batch. All of them are acknowledged together.
 */
export function splitBatch(options: SplitOptions): Processor {
  const { size, byte_size: byteSize } = { ...splitDefaults, ...options };
  return {
    process(batch) {
      const batches: Batch[] = [];
      let current: Message[] = [];
      let bytes = 0;
      for (const message of batch) {
        const length = byteSize > 0 ? message.bytes().length : 0;
        const isFull = (size > 0 && current.length >= size) || (byteSize > 0 && bytes + length > byteSize);
        if (isFull && current.length > 0) {
          batches.push(current);
          current = [];
          bytes = 0;
        }
        current.push(message);
        bytes += length;
      }
      return current.length > 0 ? [...batches, current] : batches;
    },
  };
}

/**
 * Drops a batch with too few or too many messages, or with a message of too few or too many bytes. Dropping is
 * intended, so the input gets a confirmation. The drop is logged.
 */
export function boundsCheck(options: BoundsCheckOptions): Processor {
  const bounds = { ...boundsCheckDefaults, ...options };
  return {
    process(batch, context) {
      const reason = findViolation(batch, bounds);
      if (reason === undefined) return [batch];
      warnOfMessages(context, "batch dropped", batch.length, { reason });
      return [];
    },
  };
}

function findViolation(batch: Batch, bounds: Required<BoundsCheckOptions>): string | undefined {
  if (batch.length > bounds.max_parts) return "it has more messages than max_parts";
  if (batch.length < bounds.min_parts) return "it has fewer messages than min_parts";
  const sizes = batch.map((message) => message.bytes().length);
  if (sizes.some((size) => size > bounds.max_part_size)) return "a message is larger than max_part_size";
  if (sizes.some((size) => size < bounds.min_part_size)) return "a message is smaller than min_part_size";
  return undefined;
}
