// One way to prove who one is: what a security scheme of a document stands for.

import type { Caller } from "../../caller.ts";
import type { GatewayError } from "../../errors.ts";
import type { Call } from "../../middleware/call.ts";
import type { ProtectionContext } from "../../protection.ts";

/**
 * What came of looking at a request: who calls; that it bears no credential of this kind (`undefined`), which another
 * scheme may make good; or why the one that it bears does not hold, which nothing makes good.
 */
export type Authentication = Caller | undefined | GatewayError;

/** A method that works; must not throw for anything a client sends. */
export interface Authenticator {
  authenticate(call: Call): Authentication | Promise<Authentication>;
  close?(): Promise<void>;
}

/** A method as emitted code names it; making one opens nothing. */
export interface AuthenticationMethod {
  /** As `Protection.start`. */
  start(context: ProtectionContext): Authenticator | Promise<Authenticator>;
}
