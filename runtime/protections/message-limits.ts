// Limits the message rate of sockets and event streams: `middleware.global.messageRateLimit`, and the limits of keys.

import type { KeyRateLimit, MessageLimits } from "../keys/session.ts";
import { findGrantedRight } from "../limits/granted-right.ts";
import { monotonicClock } from "../limits/memory-counters.ts";
import { createMessageGates } from "../limits/message-gates.ts";
import type { Protection } from "../protection.ts";

/** A rate of messages; `per` in milliseconds. */
export interface MessageRate {
  readonly rate?: number;
  readonly per?: number;
}

/** The `messageRateLimit` block. */
export interface MessageRateLimitBlock {
  /** Whether the block applies; true by default. */
  readonly enabled?: boolean;
  readonly fromClient?: MessageRate;
  readonly toClient?: MessageRate;
  readonly whenExceeded?: "slow" | "close";
}

/**
 * Passes the limits of the API and of the session to the streams, which apply them to each connection separately.
 * Refuses nothing itself.
 */
export function messageRateLimit({ enabled = true, ...block }: MessageRateLimitBlock = {}): Protection {
  const isLimited = enabled && (block.fromClient !== undefined || block.toClient !== undefined);
  const own = isLimited ? [limitsOf(block)] : [];
  return {
    place: "rate-limit",
    start: ({ api }) => ({
      check(call) {
        const session = call.caller?.session;
        const granted = session && findGrantedRight(session, api, call.api?.version);
        const ofSession = granted?.right.limits?.messages ?? session?.limits.messages;
        const limits = ofSession === undefined ? own : [...own, ofSession];
        const gates = limits.length === 0 ? undefined : createMessageGates(limits, monotonicClock);
        if (gates !== undefined) call.messages = call.messages?.and?.(gates) ?? gates;
        return "next";
      },
    }),
  };
}

function limitsOf({ fromClient, toClient, whenExceeded = "slow" }: MessageRateLimitBlock): MessageLimits {
  return {
    ...(fromClient && { fromClient: rateOf(fromClient) }),
    ...(toClient && { toClient: rateOf(toClient) }),
    whenExceeded,
  };
}

function rateOf({ rate = 0, per = 0 }: MessageRate): KeyRateLimit {
  return { rate, per: per / 1000 };
}
