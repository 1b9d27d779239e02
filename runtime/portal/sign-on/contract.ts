// Single sign-on of the portal's page, before anything is known of how.

import type { IncomingMessage } from "node:http";
import type { ChainStep } from "../../http/call.ts";
import type { Environment } from "../../process/environment.ts";
import type { Services } from "../operation.ts";

/** Single sign-on as emitted code names it; making one sends no request. */
export interface PortalSignOn {
  /** Notes in the environment that the secret is missing. */
  configure(env: Environment): { start(context: PortalSignOnContext): StartedPortalSignOn };
}

/** What it is given when the gateway starts. */
export interface PortalSignOnContext {
  readonly organisation: string;
  readonly services: Services;
  /** Aborted when the gateway closes. */
  readonly signal: AbortSignal;
}

/** Single sign-on at work. */
export interface StartedPortalSignOn {
  /** Comes before the portal's page, and passes on what is not its own. */
  readonly step: ChainStep;
  /** The administrator who has signed in; `undefined` for all others. */
  administratorOf(request: IncomingMessage): Promise<SignedOnAdministrator | undefined>;
}

/** An administrator who has signed in. */
export interface SignedOnAdministrator {
  readonly organisation: string;
  readonly name: string;
  /** The issuer and the subject. */
  readonly id: string;
}
