// `while`: processors again and again, as long as a check holds.

import { setImmediate as nextTurn } from "node:timers/promises";
import type { ComponentContext, Processor } from "../component/component.ts";
import { closeProcessors, runProcessors } from "../component/pipeline.ts";
import type { Batch } from "../message/message.ts";
import { type QueryFunction, tellFailure } from "./functions.ts";
import { type WhileOptions, whileDefaults } from "./generated/while-options.ts";
import { queryTrue } from "./mapping.ts";
import { throwIfStopped } from "./stopping.ts";

/** Rounds after which other work gets its turn. */
const roundsPerTurn = 64;

/**
 * Takes the whole batch through the processors while the check holds for its first message, and for the first
 * of the first batch where it became several. A check that fails does not hold, as in the reference engine: the log says so.
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
        // A check that never gives in must hold up neither other messages nor the end of the stream.
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
    tellFailure(context, "the check of a while", error);
    return false;
  }
}
