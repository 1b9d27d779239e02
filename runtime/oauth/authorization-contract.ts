// The endpoint at which users authorize clients, as the server of tokens is given it.

import type { GatewayScope } from "../component/gateway-scope.ts";
import type { ChainStep } from "../http/call.ts";
import type { Keys } from "../keys/keys.ts";
import type { Logger } from "../process/log.ts";
import type { ClientStore } from "./clients.ts";
import type { TokenStore } from "./tokens.ts";

/** What the endpoint is given when the gateway starts. */
export interface AuthorizationContext {
  readonly log: Logger;
  readonly tokens: TokenStore;
  readonly clients: ClientStore;
  /** What the APIs of the gateway share; absent only in a server without users. */
  readonly gateway?: GatewayScope;
  /** The users; without any, every password is wrong. */
  readonly keys?: Keys;
}

/** Makes the step that answers requests for `/oauth/authorize`. */
export type AuthorizationEndpoint = (context: AuthorizationContext) => ChainStep;
