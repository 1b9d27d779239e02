// The interface of protections, which requests pass before streams and upstream if the document requires it.

import type { GatewayScope } from "./component/gateway-scope.ts";
import type { Counters } from "./counters.ts";
import type { Call, ChainStep } from "./http/call.ts";
import type { ProtectionPlace } from "./http/chain.ts";
import type { DescribedOperation, RoutedPath } from "./http/incoming/operation-table.ts";
import type { AcceptedCredential } from "./keys/accepted-credentials.ts";
import type { Keys } from "./keys/keys.ts";
import type { OauthServer } from "./oauth/oauth-server.ts";
import type { Logger } from "./process/log.ts";
import type { Store } from "./store/store.ts";

/** The context in which a protection starts. */
export interface ProtectionContext {
  /** The id of the API that it protects. */
  readonly api: string;
  readonly log: Logger;
  /** What the APIs of the gateway share. */
  readonly gateway: GatewayScope;
  /** The counters of requests, if the gateway configures them; in memory otherwise. */
  readonly counters?: Counters | undefined;
  /** The keys and policies of the gateway; absent if it has none. */
  readonly keys?: Keys;
  /** The store of records that change; absent if the gateway has none. */
  readonly store?: Store;
  /** The issuer of the gateway's own tokens; absent if there is none. */
  readonly oauth?: Pick<OauthServer, "findToken" | "onRevoked" | "countRevocations">;
  /** The largest body that the gateway accepts, in bytes. */
  readonly maxBodyBytes: number;
  /** Calls `visit` for each open request and socket; absent if they are not known. */
  readonly visitCalls?: (visit: (call: Call) => void) => void;
  /** To be called when keys that verify callers were replaced: open connections are then evaluated again. */
  readonly keysChanged?: () => void;
  /** Aborted when the gateway closes. */
  readonly signal: AbortSignal;
}

/** One protection of one API, as created by emitted code; creating it opens nothing. */
export interface Protection {
  readonly place: ProtectionPlace;
  /** Who may call, if it requires credentials. */
  readonly callers?: Callers;
  /**
   * Called once, before the gateway listens. Rejects with an `EnvironmentError` if a value of the environment is
   * unusable, or with a `GatewayError` if something that it needs is not available.
   */
  start(context: ProtectionContext): Guard | Promise<Guard>;
}

/** Who may call an API, for operators and the portal. */
export interface Callers {
  /** The credentials of the gateway's keys and clients that one of its schemes accepts. */
  readonly accepted: readonly AcceptedCredential[];
  /** Operations with requirements of their own. */
  readonly operations: readonly DescribedOperation[];
  /** Returns `key or token (scope orders:read)`: the names of the schemes; `open` if no credential is required. */
  callersOf(verb: string, place: RoutedPath): string;
}

/** A started protection. */
export interface Guard {
  /** Checks each request; returns refusals, and never throws them. */
  readonly check: ChainStep;
  /** Closes what it opened; no request may follow. */
  close?(): Promise<void>;
}
