// What this process still does when it ends or is interrupted.

const endings = ["exit", "SIGINT", "SIGTERM", "SIGHUP"] as const;
const actions: (() => void)[] = [];

/** Calls `action` when this process ends, unless by SIGKILL: the last one first. Returns a function that forgets it. */
export function whenEnding(action: () => void): () => void {
  if (actions.length === 0) for (const event of endings) process.on(event, end);
  actions.push(action);
  return () => {
    const at = actions.indexOf(action);
    if (at === -1) return;
    actions.splice(at, 1);
    if (actions.length === 0) for (const event of endings) process.off(event, end);
  };
}

function end(reason: number | NodeJS.Signals): void {
  // Other listeners for the signal, such as the test command's, stop their programs themselves.
  if (typeof reason === "string" && process.listenerCount(reason) > 1) return;
  for (const action of actions.splice(0).reverse()) action();
  if (typeof reason !== "string") return;
  process.off(reason, end);
  process.kill(process.pid, reason);
}
