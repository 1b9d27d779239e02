// Tabs of one browser, which share the cookie of a session.

const channel = new BroadcastChannel(`session of ${location.pathname}`);

/** Tells the other tabs of the page who has the session now; empty for nobody. */
export function tellTabs(user: string): void {
  channel.postMessage(user);
}

/**
 * Calls `change` when another tab says that somebody else has the session than `own` returns. `own` is empty in a tab
 * that does not use the session.
 */
export function hearTabs(own: () => string, change: () => void): void {
  channel.addEventListener("message", ({ data }) => {
    if (own() !== "" && own() !== data) change();
  });
}
