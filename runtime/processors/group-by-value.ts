// `group_by_value`: one batch to a batch for each value.

import type { Processor } from "../component/component.ts";
import { textLedBy } from "../component/text.ts";
import { toGatewayError } from "../errors.ts";
import type { Message } from "../message/message.ts";
import type { GroupByValueOptions } from "./generated/group-by-value-options.ts";

/**
 * A batch for each text that comes of `value`, in the order of their first messages. Messages that none could be
 * computed for are the last one, flagged. All batches are acknowledged together.
 */
export function groupByValue({ value }: GroupByValueOptions): Processor {
  return {
    process(batch) {
      const groups = new Map<string, Message[]>();
      const failed: Message[] = [];
      for (const [index, message] of batch.entries()) {
        try {
          const key = textLedBy("group value interpolation error: ", value, batch, index);
          const group = groups.get(key);
          if (group === undefined) groups.set(key, [message]);
          else group.push(message);
        } catch (error) {
          failed.push(message.withFailure(toGatewayError(error, 500, "the value of a group failed")));
        }
      }
      return [...groups.values(), ...(failed.length > 0 ? [failed] : [])];
    },
  };
}
