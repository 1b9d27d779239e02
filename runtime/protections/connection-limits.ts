// Limits concurrent connections: `middleware.global.connectionLimit`, and the limits of keys.

import type { Occupancy, Seat } from "../counters.ts";
import { GatewayError } from "../errors.ts";
import type { Call, StepResult } from "../http/call.ts";
import type { KeySession } from "../keys/session.ts";
import { apiSeat, keySeats } from "../limits/claims.ts";
import { findGrantedRight } from "../limits/granted-right.ts";
import { scopedCounters } from "../limits/memory-counters.ts";
import type { Protection } from "../protection.ts";

/** The `connectionLimit` block; 0 means no limit. */
export interface ConnectionLimitBlock {
  /** Whether the block applies; true by default. */
  readonly enabled?: boolean;
  /** The most connections of all callers together. */
  readonly max?: number;
  /** The most connections of each key. */
  readonly maxPerKey?: number;
}

/** Counts open sockets, event streams and pending requests. Refuses those over a limit with 429. */
export function connectionLimit({
  enabled = true,
  max = 0,
  maxPerKey = 0,
}: ConnectionLimitBlock = {}): Protection {
  return {
    place: "rate-limit",
    start({ api, gateway, counters = gateway.get(scopedCounters) }) {
      const ofApi: readonly Seat[] = enabled && max > 0 ? [apiSeat(api, max)] : [];

      function seatsFor(session: KeySession, call: Call): readonly Seat[] {
        const granted = findGrantedRight(session, api, call.api?.version);
        const ofKey = keySeats(session, granted, api, enabled ? maxPerKey : 0);
        return ofKey.length === 0 ? ofApi : [...ofKey, ...ofApi];
      }

      return {
        check(call) {
          const session = call.caller?.session;
          const seats = session === undefined ? ofApi : seatsFor(session, call);
          if (seats.length === 0) return "next";
          const entered = counters.enter(seats);
          return entered instanceof Promise
            ? entered.then((settled) => admit(call, settled))
            : admit(call, entered);
        },
      };
    },
  };
}

/** Admits the call; its place is released when the connection of the call ends, for whatever reason. */
function admit({ transport }: Call, entered: Occupancy | number): StepResult {
  if (typeof entered === "number")
    return new GatewayError(429, "Too many connections", { retryAfter: 1, reason: "too_many_connections" });
  const connection = transport.kind === "http" ? transport.response : transport.socket;
  if (connection.destroyed) entered.leave();
  else connection.once("close", () => entered.leave());
  return "next";
}
