// Work that a control starts, at most once at a time.

import { useRef, useState } from "preact/hooks";

/**
 * Returns whether work is running, and a function that runs work unless other work is. Controls show this by
 * `aria-disabled`: a disabled control would lose the focus, also to a dialog that returns it there.
 */
export function useBusy() {
  const [isBusy, setBusy] = useState(false);
  // Also counts before the next render, for double clicks.
  const isRunning = useRef(false);
  const run = async (work: () => unknown): Promise<void> => {
    if (isRunning.current) return;
    isRunning.current = true;
    setBusy(true);
    try {
      await work();
    } finally {
      isRunning.current = false;
      setBusy(false);
    }
  };
  return { isBusy, run };
}
