// `group_by`: one batch to a batch for each group.

import type { ComponentContext, Processor } from "../component/component.ts";
import { closeProcessors, runProcessors } from "../component/pipeline.ts";
import { toGatewayError } from "../errors.ts";
import type { Batch, Message } from "../message/message.ts";
import type { Group, GroupByOptions } from "./generated/group-by-options.ts";
import { queryTrue } from "./mapping.ts";

/**
 * Each message goes to the first group whose check holds; a batch of each group goes through its processors.
 * What no group takes is the last batch, and with it what a check failed on, flagged. All batches are
 * acknowledged together.
 */
export function groupBy({ groups }: GroupByOptions): Processor {
  return {
    async process(batch, context) {
      const taken = groups.map((): Message[] => []);
      const left: Message[] = [];
      for (const [index, message] of batch.entries()) {
        const group = findGroup(groups, batch, index, message);
        if (typeof group === "number") taken[group]?.push(message);
        else left.push(group);
      }
      const grouped = await Promise.all(groups.map((group, at) => runGroup(group, taken[at] ?? [], context)));
      return [...grouped.flat(), ...(left.length > 0 ? [left] : [])];
    },
    async close() {
      await closeProcessors(groups.flatMap(({ processors = [] }) => processors));
    },
  };
}

/** Where the group stands that takes a message, or the message as it goes on where there is none. */
function findGroup(
  groups: readonly Group[],
  batch: Batch,
  index: number,
  message: Message,
): number | Message {
  try {
    const found = groups.findIndex(({ check }) => queryTrue(check, batch, index));
    return found < 0 ? message : found;
  } catch (error) {
    return message.withFailure(toGatewayError(error, 500, "the check of a group failed"));
  }
}

async function runGroup(
  { processors = [] }: Group,
  batch: Batch,
  context: ComponentContext,
): Promise<readonly Batch[]> {
  return batch.length === 0 ? [] : runProcessors(processors, [batch], context);
}
