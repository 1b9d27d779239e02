// The interface of single sign-on for the portal's page, independent of its implementation.

import type { IncomingMessage } from "node:http";
import type { ChainStep } from "../../http/call.ts";
import type { Environment } from "../../process/environment.ts";
import type { PortalServices } from "../operation.ts";

/** Single sign-on, as emitted code creates it. Creating it sends no request. */
export interface PortalSignOn {
  /** Records a problem in the environment if the secret is missing. */
  configure(env: Environment): { start(context: PortalSignOnContext): StartedPortalSignOn };
}

/** The dependencies of single sign-on, available when the gateway starts. */
export interface PortalSignOnContext {
  readonly organisation: string;
  readonly services: PortalServices;
  /** Aborted when the gateway closes. */
  readonly signal: AbortSignal;
}

/** Started single sign-on. */
export interface StartedPortalSignOn {
  /** A step before the portal's page, which passes on requests that it does not handle. */
  readonly step: ChainStep;
  /** Resolves with the signed-in administrator; `undefined` if the request has no administrator session. */
  administratorOf(request: IncomingMessage): Promise<SignedOnAdministrator | undefined>;
}

/** A signed-in administrator. */
export interface SignedOnAdministrator {
  readonly organisation: string;
  readonly name: string;
  /** The issuer and the subject, combined. */
  readonly id: string;
}
