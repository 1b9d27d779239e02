// Notices a connection that takes no bytes although some wait for it.

/** Watches the writes of one connection. */
export interface StallGuard {
  /** A write has begun. */
  began(): void;
  /** A write has left the process. */
  ended(): void;
  /** The connection is gone. */
  stop(): void;
}

/** Calls `onStall` when writes are under way and none of them ends for `milliseconds`. */
export function createStallGuard(milliseconds: number, onStall: () => void): StallGuard {
  let open = 0;
  let timer: NodeJS.Timeout | undefined;
  const stop = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  return {
    began() {
      open += 1;
      timer ??= setTimeout(onStall, milliseconds);
    },
    ended() {
      open -= 1;
      if (open === 0) stop();
      else timer?.refresh();
    },
    stop,
  };
}
