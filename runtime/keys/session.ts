// The rights and limits of an identified caller.

import type { Eventually } from "../component/resource.ts";
import type { GatewayError } from "../errors.ts";

/** A maximum number of requests per period. */
export interface KeyRateLimit {
  /** Requests per period; 0 for no limit. */
  readonly rate: number;
  /** The length of the period in seconds. */
  readonly per: number;
}

/** A number of requests that is granted per period. */
export interface Quota {
  /** Requests per period; -1 for no limit. */
  readonly max: number;
  /** Seconds until the next period begins; 0 for never. */
  readonly renewal: number;
}

/** Message limits of a connection: of a socket, and `toClient` also of an event stream. */
export interface MessageLimits {
  readonly fromClient?: KeyRateLimit;
  readonly toClient?: KeyRateLimit;
  /** How a client that sends too fast is handled: it is read more slowly, or its socket is closed with 1008. */
  readonly whenExceeded?: "slow" | "close";
}

/** The limits of a caller. */
export interface SessionLimits {
  readonly rate?: KeyRateLimit;
  readonly quota?: Quota;
  /** The maximum number of concurrent requests, sockets and event streams; 0 for no limit. */
  readonly connections?: number;
  readonly messages?: MessageLimits;
}

/** Paths that may be called, and their methods. */
export interface AllowedUrl {
  /** Whether a path matches. It is relative to the listen path and begins with `/`. */
  matches(path: string): boolean;
  /** Absent for all methods. */
  readonly methods?: ReadonlySet<string>;
}

/** Limits of the requests to an operation. */
export interface EndpointLimit {
  /** The path below the listen path; `{name}` stands for a segment. */
  readonly path: string;
  readonly verb: string;
  /** The name of the endpoint, unique within its API. */
  readonly name: string;
  readonly limits: SessionLimits;
}

/** The right to call an API. */
export interface AccessRight {
  /** The versions that may be called; absent for all. */
  readonly versions?: ReadonlySet<string>;
  /** Absent for all paths. */
  readonly allowedUrls?: readonly AllowedUrl[];
  /** Limits of this API, which replace those of the session. */
  readonly limits?: SessionLimits;
  /** The name under which these limits are counted. Rights with the same name share them; the API's id by default. */
  readonly scope?: string;
  readonly endpoints?: readonly EndpointLimit[];
}

/** The rights of a caller, from a key with its policies, or from a token. Immutable. */
export interface KeySession {
  /**
   * Identifies the caller in counters: the hash of a key (SHA-256, hexadecimal), or of the identity of a token's owner.
   * Never the credential itself.
   */
  readonly id: string;
  /** The name of the current quota period, in addition to `id`: a new name restarts the quotas. */
  readonly quotaPeriod?: string | undefined;
  /** A name for people. */
  readonly alias?: string | undefined;
  readonly organisation?: string | undefined;
  /** By API id; absent if every API may be called. */
  readonly rights?: ReadonlyMap<string, AccessRight> | undefined;
  readonly limits: SessionLimits;
  /** The expiry in Unix seconds; absent for never. */
  readonly expires?: number | undefined;
  readonly isInactive: boolean;
  readonly tags: readonly string[];
  /** The metadata available as `$gw_meta.…` in streams. */
  readonly metadata: ReadonlyMap<string, string>;
}

/** An authenticated caller. */
export interface Caller {
  /** The credential as received. It is never logged or stored. */
  readonly token?: string;
  /** The scopes of its token; absent if the scheme has no scopes. */
  readonly scopes?: ReadonlySet<string>;
  /** The claims of its token, as text. */
  readonly claims?: ReadonlyMap<string, string>;
  /** The metadata of its key. */
  readonly metadata?: ReadonlyMap<string, string>;
  /** Its rights; absent if the scheme only authenticates the caller. */
  readonly session?: KeySession;
  /** The expiry of its credential in Unix milliseconds, in addition to that of the session; absent for never. */
  readonly expires?: number;
  /** The time, by `performance.now()`, to call `renew` even if no change is known; absent for never. */
  readonly askAgain?: number;
  /**
   * Validates the same credential again: returns the caller, or the reason why it is no longer valid. Resolves with a
   * `GatewayError` of status 503, or rejects, if that is unknown. Absent if a credential cannot end.
   */
  renew?(): Eventually<Caller | GatewayError | undefined>;
}
