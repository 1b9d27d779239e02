// Authenticated callers, for tests of the protections that follow authentication.

import type { Caller, KeySession } from "../../../runtime/keys/session.ts";
import type { Protection } from "../../../runtime/protection.ts";

/** Returns a session without restrictions, except for `changes`. */
export function sessionOf(changes: Partial<KeySession> = {}): KeySession {
  return { id: "a".repeat(64), limits: {}, isInactive: false, tags: [], metadata: new Map(), ...changes };
}

/** Replaces authentication: a request with `X-Caller: name` has that session. */
export function callers(sessions: Readonly<Record<string, KeySession>>): Protection {
  const known = new Map<string, Caller>(
    Object.entries(sessions).map(([name, session]) => [name, { session }]),
  );
  return {
    place: "authentication",
    start: () => ({
      check(call) {
        const caller = known.get(String(call.request.headers["x-caller"]));
        if (caller !== undefined) call.caller = caller;
        return "next";
      },
    }),
  };
}
