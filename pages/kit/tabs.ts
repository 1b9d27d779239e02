// Tabs of one browser, which share the cookie of a session.

const channel = new BroadcastChannel(`session of ${location.pathname}`);

/** Announces to the other tabs of the page whose session the cookie belongs to; empty if it has ended. */
export function announceSession(user: string): void {
  channel.postMessage(user);
}

/**
 * Calls `change` when another tab announces a session of another user than `own` returns. `own` is empty in a tab that
 * does not use the cookie.
 */
export function onOtherSession(own: () => string, change: () => void): void {
  channel.addEventListener("message", ({ data }) => {
    if (own() !== "" && own() !== data) change();
  });
}
