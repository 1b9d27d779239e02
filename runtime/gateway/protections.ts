// Runs the protections that the document of an API requires.

import type { ApiIdentity, ChainStep } from "../http/call.ts";
import { inTurn, type ProtectionPlace, type ProtectionSteps } from "../http/chain.ts";
import type { FindAccepted } from "../keys/accepted-credentials.ts";
import type { Guard, Protection, ProtectionContext } from "../protection.ts";

/** What the protections of several APIs share. */
export interface ServiceContext extends Omit<ProtectionContext, "api"> {
  /** Returns the APIs that are served now. */
  readonly servedApis?: () => readonly ApiIdentity[];
  /** Returns the credentials that a served API accepts. */
  readonly acceptedBy?: FindAccepted;
  /** Milliseconds for which known keys of a store stay valid while the store is unreachable. */
  readonly storeGrace: number;
}

/** A service that the protections of several APIs use, such as the keys of a gateway. */
export interface SharedService {
  start?(context: ServiceContext): Promise<void>;
  close?(): Promise<void>;
}

/**
 * Starts the shared services in order; resolves with a function that closes them. If one cannot start, closes the
 * others and rejects with its error.
 */
export async function startServices(
  services: readonly SharedService[],
  context: ServiceContext,
): Promise<() => Promise<void>> {
  const begun: SharedService[] = [];
  const close = async () => {
    // In reverse order: later services depend on earlier ones.
    for (const each of begun.toReversed()) await each.close?.();
  };
  try {
    for (const each of services) {
      begun.push(each);
      await each.start?.(context);
    }
  } catch (error) {
    await close();
    throw error;
  }
  return close;
}

/** The running protections of one API. */
export interface Guards {
  readonly steps: ProtectionSteps;
  /** Closes what the protections opened; no request may follow. */
  close(): Promise<void>;
}

/** Starts the protections of one API; if one cannot start, closes the others and rejects with its error. */
export async function startGuards(
  protections: readonly Protection[],
  context: ProtectionContext,
): Promise<Guards> {
  const started: Guard[] = [];
  const close = async () => {
    await Promise.all(started.map((guard) => guard.close?.()));
  };
  const byPlace = new Map<ProtectionPlace, ChainStep[]>();
  try {
    for (const { place, start } of protections) {
      const log = context.log.with({ api: context.api, component: place });
      const guard = await start({ ...context, log });
      started.push(guard);
      byPlace.set(place, [...(byPlace.get(place) ?? []), guard.check]);
    }
  } catch (error) {
    await close();
    throw error;
  }
  return {
    steps: Object.fromEntries([...byPlace].map(([place, steps]) => [place, inTurn(steps)])),
    close,
  };
}

/** The chain step that runs the protections of the API that the request is for. */
export const passGuards: ChainStep = (call) => call.api?.api.guards(call) ?? "next";
