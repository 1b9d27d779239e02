// `switch`: each message goes through the processors of the first case that takes it.

import type { ComponentContext, Processor } from "../component.ts";
import { toGatewayError } from "../errors.ts";
import type { Batch, Message } from "../message.ts";
import { closeProcessors, runProcessors } from "../pipeline.ts";
import type { SwitchCase, SwitchOptions } from "./generated/switch-options.ts";
import { queryTrue } from "./mapping.ts";

/**
 * Every message is tested by itself; those that no case takes pass unchanged, those whose check fails are
 * flagged and skip every case. What comes out stands where its message stood.
 */
export function switchCases({ cases }: SwitchOptions): Processor {
  return {
    async process(batch, context) {
      // A switch within a switch: what comes out has the place of the outer one again.
      const outer = batch.map(({ place }) => place);
      const placed = batch.map((message, index) => message.withPlace(index));
      const passed = await runCases(cases, placed, context);
      const ordered = passed.toSorted((a, b) => a.place - b.place);
      return ordered.length === 0
        ? []
        : [ordered.map((message) => message.withPlace(outer[message.place] ?? 0))];
    },
    close: () => closeProcessors(cases.flatMap((each) => each.processors ?? [])),
  };
}

async function runCases(
  cases: readonly SwitchCase[],
  batch: Batch,
  context: ComponentContext,
): Promise<readonly Message[]> {
  const done: Message[] = [];
  let untaken = batch;
  let falling: Batch = [];
  for (const each of cases) {
    const { taken, left, failed } = partition(each, untaken);
    done.push(...failed);
    untaken = left;
    const entering = [...falling, ...taken];
    const results =
      entering.length === 0 ? [] : await runProcessors(each.processors ?? [], [entering], context);
    falling = each.fallthrough === true ? results.flat() : [];
    if (each.fallthrough !== true) done.push(...results.flat());
  }
  return [...done, ...falling, ...untaken];
}

/** Which messages a case takes. Checks see the batch as it came to the case. */
function partition(
  { check }: SwitchCase,
  batch: Batch,
): Record<"taken" | "left" | "failed", readonly Message[]> {
  if (check === undefined) return { taken: batch, left: [], failed: [] };
  const taken: Message[] = [];
  const left: Message[] = [];
  const failed: Message[] = [];
  for (const [index, message] of batch.entries()) {
    try {
      (queryTrue(check, batch, index) ? taken : left).push(message);
    } catch (error) {
      failed.push(message.withFailure(toGatewayError(error, 500, "the check of a switch failed")));
    }
  }
  return { taken, left, failed };
}
