// Side messages: made from messages, processed separately, and merged into their originals.

import type { ComponentContext, Processor } from "../component/component.ts";
import { runProcessors } from "../component/pipeline.ts";
import { GatewayError, ledBy, toGatewayError } from "../errors.ts";
import type { Batch, FailureSource, Message } from "../message/message.ts";
import type { MappingFunction, ResultMapFunction } from "./functions.ts";

/** A side message, and the index of its original in the batch. */
export interface Side {
  readonly index: number;
  readonly message: Message;
}

/** Why the side message of the original at `index` has no result. */
export interface SideFailure {
  readonly index: number;
  readonly failure: GatewayError;
  readonly source?: FailureSource | undefined;
}

/** Returns the side messages of the originals for which `takes` is true. Without a mapping, they are copies. */
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
      // A failure belongs to the original: its side message starts without it.
      if (side !== undefined) sides.push({ index, message: side.withFailure(undefined) });
    } catch (error) {
      const failure = toGatewayError(error, 500, "the request_map of a branch failed");
      failures.push({ index, failure: ledBy("request mapping failed: ", failure) });
    }
  }
  return { sides, failures };
}

/**
 * Returns one result for each side message, or a failure for all of them if the results can no longer be matched.
 * `size`: the number of messages in the batch.
 */
export async function runSides(
  processors: readonly Processor[],
  sides: readonly Side[],
  size: number,
  context: ComponentContext,
): Promise<readonly Message[] | GatewayError> {
  if (sides.length === 0) return [];
  const batch = sides.map(({ message }) => message);
  const results = (await runProcessors(processors, [batch], context)).flat();
  if (results.length === sides.length) return results;
  if (results.length === 0) return new GatewayError(422, "child processors resulted in zero messages");
  // The reference engine swaps the two numbers.
  const counted = `started with ${size - sides.length + results.length} messages, finished with ${size}`;
  return new GatewayError(422, `message count from branch processors does not match request, ${counted}`, {
    answer: `the processors of a branch made ${results.length} messages of ${sides.length}`,
  });
}

/**
 * Merges the results of the side messages into their originals. If the mapping drops an original, it stays unchanged.
 */
export function mergeSides(
  resultMap: ResultMapFunction | undefined,
  sides: readonly Side[],
  results: readonly Message[] | GatewayError,
  outcome: Message[],
): readonly SideFailure[] {
  if (results instanceof GatewayError) return sides.map(({ index }) => ({ index, failure: results }));
  const origins = sides.flatMap(({ index }) => outcome[index] ?? []);
  return sides.flatMap(({ index }, position): readonly SideFailure[] => {
    const { failure, failureSource: source } = results[position] ?? {};
    if (failure !== undefined) return [{ index, failure: ledBy("processors failed: ", failure), source }];
    if (resultMap === undefined) return [];
    try {
      const merged = resultMap(results, origins, position);
      if (merged !== undefined) outcome[index] = merged;
      return [];
    } catch (error) {
      const failure = toGatewayError(error, 500, "the result_map of a branch failed");
      return [{ index, failure: ledBy("result mapping failed: ", failure) }];
    }
  });
}
