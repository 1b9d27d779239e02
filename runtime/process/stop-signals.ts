// The signals that end a process that serves.

/**
 * Calls `stop` once, at SIGTERM, SIGINT or SIGHUP. A second SIGTERM or SIGINT ends the process at once. A closed terminal
 * sends SIGHUP, often twice, and that never cuts the drain short. Where certificates are read again at SIGHUP, it does
 * only that.
 */
export function onStopSignal(stop: () => void): void {
  let asked = false;
  const ask = (signal: NodeJS.Signals) => {
    const isHangUp = signal === "SIGHUP";
    if (isHangUp && (asked || process.listenerCount(signal) > 1)) return;
    if (asked) process.exit(1);
    asked = true;
    stop();
  };
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, ask);
}
