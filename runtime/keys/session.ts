// What a caller may do, once the gateway knows who it is.

import type { Eventually } from "../component/resource.ts";
import type { GatewayError } from "../errors.ts";

/** Most requests in a time. */
export interface KeyRateLimit {
  /** Requests in each period; 0 for any number. */
  readonly rate: number;
  /** Seconds of the period. */
  readonly per: number;
}

/** Requests until a number of them is granted again. */
export interface Quota {
  /** Requests in each period; -1 for any number. */
  readonly max: number;
  /** Seconds until the period begins anew; 0: never. */
  readonly renewal: number;
}

/** Most messages of one connection: a socket, or for those to the client an event stream as well. */
export interface MessageLimits {
  readonly fromClient?: KeyRateLimit;
  readonly toClient?: KeyRateLimit;
  /** What becomes of a client that sends too fast: it is read more slowly, or its socket is closed with 1008. */
  readonly whenExceeded?: "slow" | "close";
}

/** How much a caller may have of something. */
export interface SessionLimits {
  readonly rate?: KeyRateLimit;
  readonly quota?: Quota;
  /** Most requests, sockets and event streams open at a time; 0 for any number. */
  readonly connections?: number;
  readonly messages?: MessageLimits;
}

/** Paths that may be called, and with which methods. */
export interface AllowedUrl {
  /** Looks at a path below the listen path, which begins with `/`. */
  matches(path: string): boolean;
  /** Absent: all. */
  readonly methods?: ReadonlySet<string>;
}

/** Limits of the requests of one operation. */
export interface EndpointLimit {
  /** Below the listen path; `{name}` stands for a segment. */
  readonly path: string;
  readonly verb: string;
  /** Names the endpoint among those of its API. */
  readonly name: string;
  readonly limits: SessionLimits;
}

/** What of one API may be called. */
export interface AccessRight {
  /** Versions that may be called; absent: all. */
  readonly versions?: ReadonlySet<string>;
  /** Absent: all paths. */
  readonly allowedUrls?: readonly AllowedUrl[];
  /** Limits of this API alone, which take the place of the session's. */
  readonly limits?: SessionLimits;
  /** Under which name those are counted: rights of the same name share them; by default the API's id. */
  readonly scope?: string;
  readonly endpoints?: readonly EndpointLimit[];
}

/** What the gateway knows of a caller: a key with its policies, or what a token says. Immutable. */
export interface KeySession {
  /**
   * Names the caller in counters: the hash of a key (SHA-256, hexadecimal), or of what names the owner of a token. Never
   * the credential itself.
   */
  readonly id: string;
  /** Names what its quotas are counted by, beside `id`: with another name they begin anew. */
  readonly quotaPeriod?: string;
  /** Name for people. */
  readonly alias?: string;
  readonly organisation?: string;
  /** By id of the API; absent: every API may be called. */
  readonly rights?: ReadonlyMap<string, AccessRight>;
  readonly limits: SessionLimits;
  /** Unix seconds; absent: never. */
  readonly expires?: number;
  readonly isInactive: boolean;
  readonly tags: readonly string[];
  /** `$gw_meta.…` of streams. */
  readonly metadata: ReadonlyMap<string, string>;
}

/** Who makes a request, once that is known. */
export interface Caller {
  /** The credential as it came; it is written nowhere. */
  readonly token?: string;
  /** What its token is good for; absent where the scheme knows no scopes. */
  readonly scopes?: ReadonlySet<string>;
  /** Claims of its token, as text. */
  readonly claims?: ReadonlyMap<string, string>;
  /** What its key says about it. */
  readonly metadata?: ReadonlyMap<string, string>;
  /** What it may do; absent where the scheme only says that it may come in. */
  readonly session?: KeySession;
  /** Unix milliseconds at which its credential ends, beside what the session says; absent: never. */
  readonly expires?: number;
  /** When `renew` is to be asked even if nothing is known to have changed, by `performance.now()`; absent: never. */
  readonly askAgain?: number;
  /**
   * Judges the same credential again: who calls, or why it does not hold any more. Resolves with a `GatewayError` of
   * status 503, or rejects, when that is unknown. Absent where a credential cannot end.
   */
  renew?(): Eventually<Caller | GatewayError | undefined>;
}
