// `group_by`: splits a batch into a batch for each group.

import type { ComponentContext, Processor } from "../component/component.ts";
import { closeProcessors, runProcessors } from "../component/pipeline.ts";
import type { Batch, Message } from "../message/message.ts";
import { logFailure } from "./functions.ts";
import type { Group, GroupByOptions } from "./generated/group-by-options.ts";
import { queryTrue } from "./mapping.ts";

/**
 * Assigns each message to the first group whose check is true. The batch of each group passes through its processors.
 * The remaining messages form the last batch. A check that fails on a message counts as false, as in the reference
 * engine: the failure is logged, and the message's own failure state does not change. All batches are acknowledged
 * together.
 */
export function groupBy({ groups }: GroupByOptions): Processor {
  return {
    async process(batch, context) {
      const taken = groups.map((): Message[] => []);
      const left: Message[] = [];
      for (const [index, message] of batch.entries()) {
        const found = groups.findIndex((group) => takes(group, batch, index, context));
        (taken[found] ?? left).push(message);
      }
      const grouped = await Promise.all(groups.map((group, at) => runGroup(group, taken[at] ?? [], context)));
      return [...grouped.flat(), ...(left.length > 0 ? [left] : [])];
    },
    async close() {
      await closeProcessors(groups.flatMap(({ processors = [] }) => processors));
    },
  };
}

function takes({ check }: Group, batch: Batch, index: number, context: ComponentContext): boolean {
  try {
    return queryTrue(check, batch, index);
  } catch (error) {
    logFailure(context, "the check of a group", error);
    return false;
  }
}

async function runGroup(
  { processors = [] }: Group,
  batch: Batch,
  context: ComponentContext,
): Promise<readonly Batch[]> {
  return batch.length === 0 ? [] : runProcessors(processors, [batch], context);
}
