// `while`: processors again and again, as long as a check holds.

import { setImmediate as nextTurn } from "node:timers/promises";
import type { Processor } from "../component/component.ts";
import { closeProcessors, runProcessors } from "../component/pipeline.ts";
import { toGatewayError } from "../errors.ts";
import type { Batch } from "../message/message.ts";
import type { QueryFunction } from "./functions.ts";
import { type WhileOptions, whileDefaults } from "./generated/while-options.ts";
import { queryTrue } from "./mapping.ts";
import { throwIfStopped } from "./stopping.ts";

/** Rounds after which other work gets its turn. */
const roundsPerTurn = 64;

/**
 * Takes the whole batch through the processors while the check holds for its first message, and for the first
 * of the first batch where it became several. A message that the check fails on is flagged and ends it.
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
          const verdict = test(check, first);
          if (typeof verdict !== "boolean") return [verdict, ...batches.slice(1)];
          if (!verdict) break;
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

/** Whether the check holds, or the batch as it goes on where it failed. */
function test(check: QueryFunction, batch: Batch): boolean | Batch {
  try {
    return queryTrue(check, batch, 0);
  } catch (error) {
    const failure = toGatewayError(error, 500, "the check of a while failed");
    return batch.map((message, index) => (index === 0 ? message.withFailure(failure) : message));
  }
}
