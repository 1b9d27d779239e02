// `branch`: processors run on a side message, and what they made of it is merged into the original.

import type { ComponentContext, Processor } from "../component.ts";
import { GatewayError, toGatewayError } from "../errors.ts";
import type { Batch, Message } from "../message.ts";
import { closeProcessors, runProcessors } from "../pipeline.ts";
import type { BranchOptions } from "./generated/branch-options.ts";

/**
 * `request_map` makes the side message (a copy without it; none where it gives `deleted()`), `processors`
 * run on all side messages of the batch, `result_map` writes to the original. A message that any of the
 * three fails on passes unchanged, flagged.
 */
export function branch(options: BranchOptions): Processor {
  return {
    async process(batch, context) {
      const outcome: (Message | undefined)[] = [...batch];
      const sides = createSides(options, batch, outcome);
      if (sides.length > 0) {
        const results = await runSides(options.processors, sides, context);
        mergeResults(options, batch, sides, results, outcome);
      }
      const left = outcome.filter((message) => message !== undefined);
      return left.length === 0 ? [] : [left];
    },
    close: () => closeProcessors(options.processors),
  };
}

/** A side message and where in the batch its original stands. */
interface Side {
  readonly index: number;
  readonly message: Message;
}

function createSides(
  { request_map: requestMap }: BranchOptions,
  batch: Batch,
  outcome: (Message | undefined)[],
): readonly Side[] {
  const sides: Side[] = [];
  for (const [index, message] of batch.entries()) {
    try {
      const side = requestMap === undefined ? message : requestMap(batch, index);
      // A flag is the original's: what runs aside starts without.
      if (side !== undefined) sides.push({ index, message: side.withFailure(undefined) });
    } catch (error) {
      outcome[index] = message.withFailure(toGatewayError(error, 500, "the request_map of a branch failed"));
    }
  }
  return sides;
}

/** What came of the side messages, one for each; a failure for all when they cannot be told apart any more. */
async function runSides(
  processors: readonly Processor[],
  sides: readonly Side[],
  context: ComponentContext,
): Promise<readonly Message[] | GatewayError> {
  const batch = sides.map(({ message }) => message);
  const results = (await runProcessors(processors, [batch], context)).flat();
  if (results.length === sides.length) return results;
  return new GatewayError(
    422,
    `the processors of a branch must keep the number of messages: ${sides.length} went in, ${results.length} came out`,
  );
}

function mergeResults(
  { result_map: resultMap }: BranchOptions,
  batch: Batch,
  sides: readonly Side[],
  results: readonly Message[] | GatewayError,
  outcome: (Message | undefined)[],
): void {
  const origins = sides.flatMap(({ index }) => batch[index] ?? []);
  for (const [position, { index }] of sides.entries()) {
    const origin = batch[index];
    const failure = results instanceof GatewayError ? results : results[position]?.failure;
    const source = results instanceof GatewayError ? undefined : results[position]?.failureSource;
    if (failure !== undefined) outcome[index] = origin?.withFailure(failure, source);
    else if (resultMap !== undefined && !(results instanceof GatewayError)) {
      try {
        outcome[index] = resultMap(results, origins, position);
      } catch (error) {
        outcome[index] = origin?.withFailure(toGatewayError(error, 500, "the result_map of a branch failed"));
      }
    }
  }
}
