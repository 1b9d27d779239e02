// `insert_part`: one more message in a batch.

import type { Processor } from "../component/component.ts";
import { textOf } from "../component/text.ts";
import { toGatewayError } from "../errors.ts";
import { Message } from "../message/message.ts";
import { type InsertPartOptions, insertPartDefaults } from "./generated/insert-part-options.ts";

/**
 * A message of `content`, which sees the first message of the batch, stands at `index` afterwards: -1 is behind the
 * last one, and places beyond the ends are the ends. It has no metadata. Where its content cannot be computed, the
 * first message is flagged and the batch stays as it is.
 */
export function insertPart(options: InsertPartOptions): Processor {
  const { index, content } = { ...insertPartDefaults, ...options };
  return {
    process(batch) {
      const at = index < 0 ? Math.max(batch.length + 1 + index, 0) : Math.min(index, batch.length);
      try {
        // Next to whom it comes to stand, in a batch that is part of another.
        const place = (batch[at] ?? batch.at(-1))?.place ?? 0;
        const part = Message.fromText(textOf(content, batch, 0)).withPlace(place);
        return [batch.toSpliced(at, 0, part)];
      } catch (error) {
        const failure = toGatewayError(error, 500, "the content of an inserted message failed");
        return [batch.map((message, position) => (position === 0 ? message.withFailure(failure) : message))];
      }
    },
  };
}
