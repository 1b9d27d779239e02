// `switch`: passes each message through the processors of the first matching case.

import type { ComponentContext, Processor } from "../component/component.ts";
import { closeProcessors, runProcessors } from "../component/pipeline.ts";
import { toGatewayError } from "../errors.ts";
import type { Batch, Message } from "../message/message.ts";
import { afterwards, takeApart } from "./apart.ts";
import type { QueryFunction } from "./functions.ts";
import type { SwitchCase, SwitchOptions } from "./generated/switch-options.ts";
import { queryTrue } from "./mapping.ts";

const none: readonly Message[] = [];

/**
 * Tests every message separately. A message that matches no case passes unchanged. If a check fails, its message is
 * marked as failed and skips all cases. Results keep the positions of their messages.
 */
export function switchCases({ cases }: SwitchOptions): Processor {
  return {
    process(batch, context) {
      const apart = takeApart(batch);
      const passed = runCases(cases, { done: [], untaken: apart.messages, falling: [] }, context);
      return afterwards(passed, apart.together);
    },
    close: () => closeProcessors(cases.flatMap((each) => each.processors ?? [])),
  };
}

/** The progress of a batch through the cases. */
interface Progress {
  readonly done: readonly Message[];
  readonly untaken: Batch;
  /** The messages that fell through from the previous case. */
  readonly falling: Batch;
}

/** Runs the cases in order. Stays synchronous as long as their processors do. */
function runCases(
  cases: readonly SwitchCase[],
  start: Progress,
  context: ComponentContext,
): readonly Message[] | Promise<readonly Message[]> {
  let progress = start;
  for (let index = 0; index < cases.length; index++) {
    const each = cases[index];
    const { untaken, falling } = progress;
    if (each === undefined || (untaken.length === 0 && falling.length === 0)) break;
    const parts = partition(each, untaken);
    // Most cases match no message of a small batch: skip them early.
    if (parts === undefined && falling.length === 0) continue;
    const entering = join(falling, parts?.taken ?? []);
    const results = entering.length === 0 ? [] : runProcessors(each.processors ?? [], [entering], context);
    if (results instanceof Promise) {
      const reached = progress;
      return results.then((settled) =>
        runCases(cases.slice(index + 1), advance(reached, each, parts, settled), context),
      );
    }
    progress = advance(progress, each, parts, results);
  }
  return join(join(progress.done, progress.falling), progress.untaken);
}

/** Returns both lists as one. Only copies if neither of them is empty. */
function join(first: readonly Message[], second: readonly Message[]): readonly Message[] {
  if (first.length === 0) return second;
  return second.length === 0 ? first : [...first, ...second];
}

/** Returns the progress after a case. `results`: the results of its processors. */
function advance(
  { done, untaken }: Progress,
  { fallthrough }: SwitchCase,
  parts: Parts | undefined,
  results: readonly Batch[],
): Progress {
  const passed = results.length === 1 ? (results[0] ?? []) : results.flat();
  const settled = join(done, parts?.failed ?? []);
  return {
    done: fallthrough === true ? settled : join(settled, passed),
    untaken: parts?.left ?? untaken,
    falling: fallthrough === true ? passed : [],
  };
}

/** A batch, divided by a case before its processors run. */
interface Parts {
  readonly taken: readonly Message[];
  readonly left: readonly Message[];
  readonly failed: readonly Message[];
}

/** Returns the messages that match a case; `undefined` if none do. Checks see the batch as it reached the case. */
function partition({ check }: SwitchCase, batch: Batch): Parts | undefined {
  if (check === undefined) return { taken: batch, left: none, failed: none };
  const [only] = batch;
  if (batch.length === 1 && only !== undefined) {
    const verdict = test(check, batch, 0, only);
    if (verdict === false) return undefined;
    if (verdict === true) return { taken: batch, left: none, failed: none };
    return { taken: none, left: none, failed: [verdict] };
  }
  let parts: Record<keyof Parts, Message[]> | undefined;
  for (let index = 0; index < batch.length; index++) {
    const message = batch[index];
    if (message === undefined) continue;
    const verdict = test(check, batch, index, message);
    if (verdict !== false) parts ??= { taken: [], left: batch.slice(0, index), failed: [] };
    if (verdict === false) parts?.left.push(message);
    else if (verdict === true) parts?.taken.push(message);
    else parts?.failed.push(verdict);
  }
  return parts;
}

/** Whether a message matches a check. If the check fails, returns the failed message. */
function test(check: QueryFunction, batch: Batch, index: number, message: Message): boolean | Message {
  try {
    return queryTrue(check, batch, index);
  } catch (error) {
    return message.withFailure(toGatewayError(error, 500, "the check of a switch failed"));
  }
}
