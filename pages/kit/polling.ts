// Repeats requests while a page is visible.

import { useEffect, useRef } from "preact/hooks";

/**
 * Runs `work` immediately, whenever `keys` change, and `period` milliseconds after each run, while the page is
 * visible and `isOn`. The signal that `work` gets aborts when its result is no longer needed.
 */
export function usePolling(
  work: (signal: AbortSignal) => Promise<void>,
  period: number,
  keys: readonly unknown[] = [],
  isOn = true,
): void {
  const latest = useRef(work);
  latest.current = work;
  // `keys` contains everything that `work` depends on.
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
