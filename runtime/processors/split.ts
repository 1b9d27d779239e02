// `split`: one batch to several smaller ones.

import type { Processor } from "../component/component.ts";
import type { Batch, Message } from "../message/message.ts";
import { type SplitOptions, splitDefaults } from "./generated/split-options.ts";

/**
 * Batches of up to `size` messages and `byte_size` bytes; 0 is no limit. A message that is larger by itself
 * is a batch of its own. All of them are acknowledged together.
 */
export function split(options: SplitOptions): Processor {
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
