// Side messages: made of messages, processed apart, merged into what they were made of.

import type { ComponentContext, Processor } from "../component/component.ts";
import { runProcessors } from "../component/pipeline.ts";
import { GatewayError, toGatewayError } from "../errors.ts";
import type { Batch, FailureSource, Message } from "../message/message.ts";
import type { MappingFunction, ResultMapFunction } from "./functions.ts";

/** A side message and where in the batch its original stands. */
export interface Side {
  readonly index: number;
  readonly message: Message;
}

/** Why nothing came of the side message of the original at `index`. */
export interface SideFailure {
  readonly index: number;
  readonly failure: GatewayError;
  readonly source?: FailureSource | undefined;
}

/** The side messages of those originals that `takes` says have one; a copy of each where there is no mapping. */
export function createSides(
  requestMap: MappingFunction | undefined,
  batch: Batch,
  takes: (index: number) => boolean = () => true,
): { readonly sides: readonly Side[]; readonly failures: readonly SideFailure[] } {
  const sides: Side[] = [];
  const failures: SideFailure[] = [];
  for (const [index, message] of batch.entries()) {
    if (!takes(index)) continue;
    try {
      const side = requestMap === undefined ? message : requestMap(batch, index);
      // A flag is the original's: what runs aside starts without.
      if (side !== undefined) sides.push({ index, message: side.withFailure(undefined) });
    } catch (error) {
      failures.push({ index, failure: toGatewayError(error, 500, "the request_map of a branch failed") });
    }
  }
  return { sides, failures };
}

/** The outcomes of the side messages, one for each; a failure for all when they cannot be distinguished any more. */
export async function runSides(
  processors: readonly Processor[],
  sides: readonly Side[],
  context: ComponentContext,
): Promise<readonly Message[] | GatewayError> {
  if (sides.length === 0) return [];
  const batch = sides.map(({ message }) => message);
  const results = (await runProcessors(processors, [batch], context)).flat();
  if (results.length === sides.length) return results;
  return new GatewayError(
    422,
    `the processors of a branch must keep the number of messages: ${sides.length} went in, ${results.length} came out`,
  );
}

/** Writes what came of the side messages to their originals in `outcome`, where a message that is dropped is none. */
export function mergeSides(
  resultMap: ResultMapFunction | undefined,
  sides: readonly Side[],
  results: readonly Message[] | GatewayError,
  outcome: (Message | undefined)[],
): readonly SideFailure[] {
  if (results instanceof GatewayError) return sides.map(({ index }) => ({ index, failure: results }));
  const origins = sides.flatMap(({ index }) => outcome[index] ?? []);
  return sides.flatMap(({ index }, position): readonly SideFailure[] => {
    const { failure, failureSource: source } = results[position] ?? {};
    if (failure !== undefined) return [{ index, failure, source }];
    if (resultMap === undefined) return [];
    try {
      outcome[index] = resultMap(results, origins, position);
      return [];
    } catch (error) {
      return [{ index, failure: toGatewayError(error, 500, "the result_map of a branch failed") }];
    }
  });
}
