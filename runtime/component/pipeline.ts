// Runs processors one after the other.

import { noteFailures } from "../failures/place.ts";
import type { Batch } from "../message/message.ts";
import type { ComponentContext, Processor } from "./component.ts";

/**
 * Returns the batches that result from passing `batches` through all of `processors`, without empty batches. Stays
 * synchronous as long as the processors do: most batches then need no turn of the event loop.
 */
export function runProcessors(
  processors: readonly Processor[],
  batches: readonly Batch[],
  context: ComponentContext,
): readonly Batch[] | Promise<readonly Batch[]> {
  let current = batches;
  for (let index = 0; index < processors.length; index++) {
    const processor = processors[index];
    const only = current[0];
    if (processor === undefined || only === undefined) break;
    if (current.length === 1) {
      // The most common case, without a list of lists.
      const result = processor.process(only, context);
      if (result instanceof Promise) {
        return result.then((settled) => {
          noteFailures(settled, processor);
          return runProcessors(processors.slice(index + 1), settled, context);
        });
      }
      current = result;
      noteFailures(current, processor);
      continue;
    }
    const results = current.map((batch) => processor.process(batch, context));
    if (results.some((result) => result instanceof Promise)) {
      const rest = processors.slice(index + 1);
      return Promise.all(results).then((settled) => {
        const batches = settled.flat();
        noteFailures(batches, processor);
        return runProcessors(rest, batches, context);
      });
    }
    // No result is a promise here; TypeScript cannot infer that from `some`.
    current = (results as (readonly Batch[])[]).flat();
    noteFailures(current, processor);
  }
  return current.every((batch) => batch.length > 0) ? current : current.filter((batch) => batch.length > 0);
}

/** Releases the resources that processors hold, such as connections. */
export async function closeProcessors(processors: readonly Processor[]): Promise<void> {
  await Promise.all(processors.map((processor) => processor.close?.()));
}
