// `bounds_check`: batches that are too small or too large go no further.

import type { Processor } from "../component/component.ts";
import type { Batch } from "../message/message.ts";
import { type BoundsCheckOptions, boundsCheckDefaults } from "./generated/bounds-check-options.ts";

/**
 * Drops a batch of too few or too many messages, or with a message of too few or too many bytes: on purpose, so that
 * the input has it confirmed. The log says so.
 */
export function boundsCheck(options: BoundsCheckOptions): Processor {
  const bounds = { ...boundsCheckDefaults, ...options };
  return {
    process(batch, { log }) {
      const reason = findViolation(batch, bounds);
      if (reason === undefined) return [batch];
      log.warn("batch dropped", { reason, messages: batch.length });
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
