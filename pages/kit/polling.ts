// Requests that a page repeats while it is visible.

import { useEffect, useRef } from "preact/hooks";

/**
 * Runs `work` now, whenever `keys` change, and `period` milliseconds after each end, while the page is visible and `isOn`.
 * `work` is given a signal that aborts when its answer does not count any more.
 */
export function usePolling(
  work: (signal: AbortSignal) => Promise<void>,
  period: number,
  keys: readonly unknown[] = [],
  isOn = true,
): void {
  const latest = useRef(work);
  latest.current = work;
  // What `work` depends on is in `keys`.
  useEffect(() => {
    if (!isOn) return undefined;
    const controller = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isRunning = false;
    const run = async () => {
      if (isRunning) return;
      clearTimeout(timer);
      isRunning = true;
      await latest.current(controller.signal);
      isRunning = false;
      if (!controller.signal.aborted && !document.hidden) timer = setTimeout(run, period);
    };
    const look = () => {
      if (!document.hidden) void run();
    };
    document.addEventListener("visibilitychange", look);
    void run();
    return () => {
      controller.abort();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [period, isOn, ...keys]);
}
