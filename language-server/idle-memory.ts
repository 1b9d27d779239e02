// Frees memory between pieces of work: V8 collects garbage while a program allocates, but not after it has stopped, and
// keeps the space that a large piece of work needed.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Milliseconds without a call after which garbage is collected. */
const pause = 2000;

/** The growth in megabytes since the last collection that is worth another one. */
const worthwhile = 30;

/** The growth in megabytes that no pause is waited for, as after a large document was opened. */
const urgent = 120;

/**
 * Returns a function to call after each piece of work; collects garbage when it has not been called for a while, or
 * soon if memory has grown much.
 */
export function createIdleMemory(): () => void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as (how: object) => void;
  let used = megabytes();
  let timer: NodeJS.Timeout | undefined;
  return () => {
    clearTimeout(timer);
    const isUrgent = megabytes() > used + urgent;
    timer = setTimeout(
      () => {
        if (megabytes() < used + worthwhile) return;
        collect({ type: "major", execution: "sync", flavor: "last-resort" });
        used = megabytes();
      },
      isUrgent ? 0 : pause,
    ).unref();
  };
}

function megabytes(): number {
  return process.memoryUsage.rss() / 2 ** 20;
}
