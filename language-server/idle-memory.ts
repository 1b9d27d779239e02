// Memory of a process that has nothing to do: V8 collects while a program allocates, and keeps what was left behind when it stops.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Milliseconds without a call after which memory is collected. */
const pause = 2000;

/** Megabytes above what was in use after the last collection that are worth another one. */
const worthwhile = 30;

/** Gives memory back in the pauses between calls. */
export function createIdleMemory(): () => void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as (how: object) => void;
  let used = megabytes();
  let timer: NodeJS.Timeout | undefined;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (megabytes() < used + worthwhile) return;
      collect({ type: "major", execution: "sync", flavor: "last-resort" });
      used = megabytes();
    }, pause).unref();
  };
}

function megabytes(): number {
  return process.memoryUsage.rss() / 2 ** 20;
}
