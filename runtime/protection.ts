// What requests to an API pass before its streams and its upstream see them, where the document asks for it.

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

/** What a protection is given when the gateway starts. */
export interface ProtectionContext {
  /** Id of the API it stands before. */
  readonly api: string;
  readonly log: Logger;
  /** What the APIs of the gateway share. */
  readonly gateway: GatewayScope;
  /** Where requests are counted, where the gateway says so; in memory otherwise. */
  readonly counters?: Counters | undefined;
  /** The keys and policies of the gateway; absent where it has none. */
  readonly keys?: Keys;
  /** Where records are kept that change; absent where the gateway has no store. */
  readonly store?: Store;
  /** What gives out the gateway's own tokens; absent where nothing does. */
  readonly oauth?: Pick<OauthServer, "findToken" | "onRevoked" | "countRevocations">;
  /** Largest body the gateway takes, in bytes. */
  readonly maxBodyBytes: number;
  /** Calls `visit` for each request and socket that is open now; absent where they are not known. */
  readonly visitCalls?: (visit: (call: Call) => void) => void;
  /** To be called when keys that callers prove themselves with were replaced: what is open is then judged again. */
  readonly keysChanged?: () => void;
  /** Aborted when the gateway closes. */
  readonly signal: AbortSignal;
}

/** One protection of one API, as emitted code names it; making one opens nothing. */
export interface Protection {
  readonly place: ProtectionPlace;
  /** Who may call, where it asks for credentials. */
  readonly callers?: Callers;
  /**
   * Called once, before the gateway listens. Rejects with an `EnvironmentError` where a value of the environment is
   * of no use, with a `GatewayError` where something it needs cannot be had.
   */
  start(context: ProtectionContext): Guard | Promise<Guard>;
}

/** Who may call an API, for operators to read and for the portal. */
export interface Callers {
  /** The credentials of keys and clients of the gateway that one of its schemes accepts. */
  readonly accepted: readonly AcceptedCredential[];
  /** Operations that ask for something of their own. */
  readonly operations: readonly DescribedOperation[];
  /** `key or token (scope orders:read)`: the schemes by their names; `open` where no credential is asked for. */
  callersOf(verb: string, place: RoutedPath): string;
}

/** A protection that works. */
export interface Guard {
  /** Looks at each request; a refusal is returned, never thrown. */
  readonly check: ChainStep;
  /** Ends what it opened; no request comes any more. */
  close?(): Promise<void>;
}
