// Limits of records, and of several of them as one.

import type { KeyRateLimit, MessageLimits, Quota, SessionLimits } from "./session.ts";

/** The limits of a record; what it does not mention it does not limit. */
export function readLimits(record: {
  readonly rate?: number;
  readonly per?: number;
  readonly quota_max?: number;
  readonly quota_renewal_rate?: number;
  readonly max_connections?: number;
  readonly message_limit?: MessageLimitRecord;
}): SessionLimits {
  const { rate, per = 1, quota_max: max, quota_renewal_rate: renewal = 0 } = record;
  const { max_connections: connections, message_limit: messages } = record;
  const limit: KeyRateLimit | undefined = rate === undefined ? undefined : { rate, per };
  return {
    ...(limit === undefined ? {} : { rate: limit }),
    ...(max === undefined ? {} : { quota: { max, renewal } }),
    ...(connections === undefined ? {} : { connections }),
    ...(messages === undefined ? {} : { messages: readMessages(messages) }),
  };
}

/** The `message_limit` of a record. */
interface MessageLimitRecord {
  readonly from_client?: KeyRateLimit;
  readonly to_client?: KeyRateLimit;
  readonly when_exceeded?: "slow" | "close";
}

function readMessages(record: MessageLimitRecord): MessageLimits {
  const { from_client: fromClient, to_client: toClient, when_exceeded: whenExceeded } = record;
  return {
    ...(fromClient === undefined ? {} : { fromClient }),
    ...(toClient === undefined ? {} : { toClient }),
    ...(whenExceeded === undefined ? {} : { whenExceeded }),
  };
}

/** The highest of each; what is not mentioned is not limited. */
export function mergeLimits(all: readonly SessionLimits[]): SessionLimits {
  const rate = highest(
    all.flatMap((each) => each.rate ?? []),
    requestsPerSecond,
  );
  const quota = highest(
    all.flatMap((each) => each.quota ?? []),
    ({ max }) => (max === -1 ? Number.POSITIVE_INFINITY : max),
    perSecond,
  );
  const connections = highest(
    all.flatMap((each) => each.connections ?? []),
    (most) => (most === 0 ? Number.POSITIVE_INFINITY : most),
  );
  const messages = all.flatMap((each) => each.messages ?? []);
  return {
    ...(rate === undefined ? {} : { rate }),
    ...(quota === undefined ? {} : { quota }),
    ...(connections === undefined ? {} : { connections }),
    ...(messages.length === 0 ? {} : { messages: mergeMessages(messages) }),
  };
}

/** A socket is closed only where all that say something of its client's messages say so. */
function mergeMessages(all: readonly MessageLimits[]): MessageLimits {
  const fromClient = highest(
    all.flatMap((each) => each.fromClient ?? []),
    requestsPerSecond,
  );
  const toClient = highest(
    all.flatMap((each) => each.toClient ?? []),
    requestsPerSecond,
  );
  const incoming = all.filter((each) => each.fromClient !== undefined);
  const closes = incoming.length > 0 && incoming.every(({ whenExceeded }) => whenExceeded === "close");
  return {
    ...(fromClient === undefined ? {} : { fromClient }),
    ...(toClient === undefined ? {} : { toClient }),
    whenExceeded: closes ? "close" : "slow",
  };
}

/** A rate of 0 is any number. */
function requestsPerSecond({ rate, per }: KeyRateLimit): number {
  return rate === 0 ? Number.POSITIVE_INFINITY : rate / per;
}

/** Of two equal quotas the one that is renewed sooner is higher; one that is never renewed is lowest. */
function perSecond({ max, renewal }: Quota): number {
  return renewal === 0 ? 0 : max / renewal;
}

function highest<T>(all: readonly T[], ...measures: readonly ((item: T) => number)[]): T | undefined {
  return all.toSorted((a, b) => {
    for (const measure of measures) {
      const [first, second] = [measure(a), measure(b)];
      if (first !== second) return first > second ? -1 : 1;
    }
    return 0;
  })[0];
}
