// Callers as they come out of authentication, for protections behind it.

import type { Caller, KeySession } from "../../../runtime/keys/session.ts";
import type { Protection } from "../../../runtime/protection.ts";

/** A session that may do anything, but for what `changes` says. */
export function sessionOf(changes: Partial<KeySession> = {}): KeySession {
  return { id: "a".repeat(64), limits: {}, isInactive: false, tags: [], metadata: new Map(), ...changes };
}

/** Stands for authentication: whoever calls with `X-Caller: name` is that session. */
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
