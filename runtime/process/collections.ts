// How V8 collects the young objects of a process that serves.

import { os } from "./builtins.ts";
import { readWorkerCount } from "./worker-place.ts";

/** Bytes of V8's young generation beyond which it does not grow. V8 starts with 2 MB and would go up to 128. */
const largestYoungGeneration = 32 * 1024 * 1024;

/** Bytes of the whole heap from which it is worth loading `node:v8`, which takes half a megabyte, as the observer does. */
const smallestHeap = 12 * 1024 * 1024;

/**
 * Sets how V8 collects young objects, once the gateway has work. With one processor for each process it collects with one
 * thread: several would only take turns, which costs about 3% of the time of a message. V8 reads that flag at each collection.
 *
 * V8 no longer creates objects in the old generation because others of the same place in the code have survived. It decides
 * so for good, by a collection in the middle of a turn of the event loop with thousands of clients. Each such object would
 * keep all young objects that it refers to until the next full collection, long after they are done with.
 *
 * The young generation stops growing at 32 MB, unless options of the operator set its size. V8 doubles it whenever as
 * many bytes as it has have survived collections in total, even if few survive each; beyond that size, it takes memory
 * and makes hardly any message faster. The largest size cannot be set after the start, but V8 reads the factor whenever
 * the young generation grows.
 */
export function tuneCollections(): void {
  let isTuned = false;
  const processes = readWorkerCount();
  // Called after collections, which are rare, and no longer once the size is reached.
  const observer = new PerformanceObserver(() => {
    // Once, as it also asks the kernel for figures of the process.
    if (!isTuned && process.memoryUsage().heapTotal < smallestHeap) return;
    const v8 = process.getBuiltinModule("node:v8");
    if (!isTuned && os().availableParallelism() <= processes) v8.setFlagsFromString("--no-parallel-scavenge");
    if (!isTuned) v8.setFlagsFromString("--no-allocation-site-pretenuring");
    isTuned = true;
    const young = v8.getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space");
    if (young === undefined || young.space_size < largestYoungGeneration) return;
    observer.disconnect();
    const options = [...process.execArgv, process.env.NODE_OPTIONS ?? ""];
    if (!options.some((option) => /semi[-_]space/.test(option)))
      v8.setFlagsFromString("--semi-space-growth-factor=1");
  });
  observer.observe({ type: "gc" });
}
