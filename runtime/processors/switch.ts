// `switch`: each message goes through the processors of the first case that takes it.

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
 * Tests every message separately; those that no case takes pass unchanged, those whose check fails are flagged and skip
 * every case. Results stay in the positions of their messages.
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
  for (let index = 0; index < cases.length; index++) {
    const each = cases[index];
    const { untaken, falling } = progress;
    if (each === undefined || (untaken.length === 0 && falling.length === 0)) break;
    const parts = partition(each, untaken);
    // Most cases take nothing of a small batch, and are passed without a trace.
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

/** Both lists as one; a new one only where both have something. */
function join(first: readonly Message[], second: readonly Message[]): readonly Message[] {
  if (first.length === 0) return second;
  return second.length === 0 ? first : [...first, ...second];
}

/** How far the messages are after a case whose processors gave `results`. */
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

/** What a case makes of a batch before its processors run. */
interface Parts {
  readonly taken: readonly Message[];
  readonly left: readonly Message[];
  readonly failed: readonly Message[];
}

/** Which messages a case takes, `undefined` where it is not one. Checks see the batch as it came to the case. */
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

/** Whether a check takes a message, or the message as it goes on when the check failed. */
function test(check: QueryFunction, batch: Batch, index: number, message: Message): boolean | Message {
  try {
    return queryTrue(check, batch, index);
  } catch (error) {
    return message.withFailure(toGatewayError(error, 500, "the check of a switch failed"));
  }
}
