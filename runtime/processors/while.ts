// `while`: repeats processors as long as a check is true.

import { setImmediate as nextTurn } from "node:timers/promises";
import type { ComponentContext, Processor } from "../component/component.ts";
import { closeProcessors, runProcessors } from "../component/pipeline.ts";
import type { Batch } from "../message/message.ts";
import { logFailure, type QueryFunction } from "./functions.ts";
import { type WhileOptions, whileDefaults } from "./generated/while-options.ts";
import { queryTrue } from "./mapping.ts";
import { throwIfStopped } from "./stopping.ts";

/** The number of rounds after which other work gets a turn. */
const roundsPerTurn = 64;

/**
 * Passes the whole batch through the processors while the check is true for its first message, or for the first message
 * of the first batch if there are several. A check that fails counts as false, as in the reference engine; the failure
 * is logged.
 */
export function whileHolds(options: WhileOptions): Processor {
  const {
    check,
    processors,
    at_least_once: atLeastOnce,
    max_loops: maxLoops,
  } = { ...whileDefaults, ...options };
  return {
    async process(batch, context) {
      let batches: readonly Batch[] = [batch];
      for (let round = 0; maxLoops <= 0 || round < maxLoops; round++) {
        const [first] = batches;
        if (first === undefined) break;
        if (round > 0 || !atLeastOnce) {
          if (!test(check, first, context)) break;
        }
        // A check that is always true must block neither other messages nor the end of the stream.
        if (round % roundsPerTurn === roundsPerTurn - 1) await nextTurn();
        throwIfStopped(context.signal);
        batches = await runProcessors(processors, batches, context);
      }
      return batches;
    },
    close: () => closeProcessors(processors),
  };
}

function test(check: QueryFunction, batch: Batch, context: ComponentContext): boolean {
  try {
    return queryTrue(check, batch, 0);
  } catch (error) {
    logFailure(context, "the check of a while", error);
    return false;
  }
}
