// `group_by_value`: splits a batch into a batch for each value.

import type { Processor } from "../component/component.ts";
import { textLedBy } from "../component/text.ts";
import { toGatewayError } from "../errors.ts";
import type { Batch, Message } from "../message/message.ts";
import type { GroupByValueOptions } from "./generated/group-by-value-options.ts";

/**
 * Returns a batch for each text of `value`, in the order of their first messages. If `value` fails on a message, the
 * message is marked as failed and belongs to the group of the empty text. All batches are acknowledged together.
 */
export function groupByValue({ value }: GroupByValueOptions): Processor {
  return {
    process(batch) {
      const groups = new Map<string, Message[]>();
      for (const [index, message] of batch.entries()) {
        const [key, grouped] = keyed(value, batch, index, message);
        const group = groups.get(key);
        if (group === undefined) groups.set(key, [grouped]);
        else group.push(grouped);
      }
      return [...groups.values()];
    },
  };
}

/** Returns the group of a message, and the message to continue with. */
function keyed(
  value: GroupByValueOptions["value"],
  batch: Batch,
  index: number,
  message: Message,
): readonly [string, Message] {
  try {
    return [textLedBy("group value interpolation error: ", value, batch, index), message];
  } catch (error) {
    return ["", message.withFailure(toGatewayError(error, 500, "the value of a group failed"))];
  }
}
