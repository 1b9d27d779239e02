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
    process(batch, context) {
      // A switch within a switch: what comes out has the place of the outer one again.
      const outer = batch.map(({ place }) => place);
      const alone = batch.length === 1;
      const placed = alone ? batch : batch.map((message, index) => message.withPlace(index));
      const order = (passed: readonly Message[]): readonly Batch[] => {
        const ordered = alone ? passed : passed.toSorted((a, b) => a.place - b.place);
        if (ordered.length === 0) return [];
        return [ordered.map((message) => message.withPlace(outer[alone ? 0 : message.place] ?? 0))];
      };
      const passed = runCases(cases, { done: [], untaken: placed, falling: [] }, context);
      return passed instanceof Promise ? passed.then(order) : order(passed);
    },
    close: () => closeProcessors(cases.flatMap((each) => each.processors ?? [])),
  };
}

/** Where the messages of a batch are on their way past the cases. */
interface Progress {
  readonly done: readonly Message[];
  readonly untaken: Batch;
  /** What fell through from the case before. */
  readonly falling: Batch;
}

/** Runs the cases in order; stays synchronous as long as their processors do. */
function runCases(
  cases: readonly SwitchCase[],
  start: Progress,
  context: ComponentContext,
): readonly Message[] | Promise<readonly Message[]> {
  let progress = start;
  for (const [index, each] of cases.entries()) {
    const { done, untaken, falling } = progress;
    if (untaken.length === 0 && falling.length === 0) break;
    const { taken, left, failed } = partition(each, untaken);
    const entering = falling.length === 0 ? taken : [...falling, ...taken];
    const advance = (results: readonly Batch[]): Progress => ({
      done: each.fallthrough === true ? [...done, ...failed] : [...done, ...failed, ...results.flat()],
      untaken: left,
      falling: each.fallthrough === true ? results.flat() : [],
    });
    const results = entering.length === 0 ? [] : runProcessors(each.processors ?? [], [entering], context);
    if (results instanceof Promise) {
      return results.then((settled) => runCases(cases.slice(index + 1), advance(settled), context));
    }
    progress = advance(results);
  }
  return [...progress.done, ...progress.falling, ...progress.untaken];
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
