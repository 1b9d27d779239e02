// Runs processors one after the other.

import { contextAt, noteFailures } from "../failures/place.ts";
import type { Batch } from "../message/message.ts";
import type { ComponentContext, Processor } from "./component.ts";

type Processed = ReturnType<Processor["process"]>;

/**
 * Returns the batches that result from passing `batches` through all of `processors`, without empty batches. Stays
 * synchronous as long as the processors do: most batches then need no turn of the event loop.
 */
export function runProcessors(
  processors: readonly Processor[],
  batches: readonly Batch[],
  context: ComponentContext,
): Processed {
  let current = batches;
  for (let index = 0; index < processors.length; index++) {
    const processor = processors[index];
    const only = current[0];
    if (processor === undefined || only === undefined) break;
    // The most common case needs no list of lists.
    const result =
      current.length === 1
        ? processAt(processor, only, context)
        : joinResults(current.map((batch) => processAt(processor, batch, context)));
    if (result instanceof Promise) {
      return result.then((settled) => {
        noteFailures(settled, processor);
        return runProcessors(processors.slice(index + 1), settled, context);
      });
    }
    current = result;
    noteFailures(current, processor);
  }
  return current.every((batch) => batch.length > 0) ? current : current.filter((batch) => batch.length > 0);
}

/**
 * Runs one processor with a logger that adds its place. A processor that takes no context, such as a mapping, logs
 * nothing and needs none of its own.
 */
export function processAt(processor: Processor, batch: Batch, context: ComponentContext): Processed {
  return processor.process(batch, processor.process.length < 2 ? context : contextAt(context, processor));
}

/** Returns all batches of several results, in order. Synchronous if all results are. */
export function joinResults(results: readonly Processed[]): Processed {
  if (results.some((result) => result instanceof Promise)) {
    return Promise.all(results).then((all) => all.flat());
  }
  // No result is a promise here; TypeScript cannot infer that from `some`.
  return (results as (readonly Batch[])[]).flat();
}

/** Releases the resources that processors hold, such as connections. */
export async function closeProcessors(processors: readonly Processor[]): Promise<void> {
  await Promise.all(processors.map((processor) => processor.close?.()));
}
