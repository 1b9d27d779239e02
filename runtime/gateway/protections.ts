// Has requests pass what the document of their API asks for.

import type { ApiIdentity, ChainStep } from "../http/call.ts";
import { inTurn, type ProtectionPlace, type ProtectionSteps } from "../http/chain.ts";
import type { FindAccepted } from "../keys/accepted-credentials.ts";
import type { Guard, Protection, ProtectionContext } from "../protection.ts";

/** What the protections of several APIs share. */
export interface AskedContext extends Omit<ProtectionContext, "api"> {
  /** The APIs that are served now. */
  readonly servedApis?: () => readonly ApiIdentity[];
  /** Which credentials open an API that is served. */
  readonly acceptedBy?: FindAccepted;
  /** Milliseconds that keys of a store which are known go on while it is away. */
  readonly storeGrace: number;
}

/** What protections of several APIs ask, such as the keys of a gateway. */
export interface SharedService {
  start?(context: AskedContext): Promise<void>;
  close?(): Promise<void>;
}

/**
 * Starts the clients that only the protections of all APIs use; gives back how all of it is closed. Where one cannot
 * start, closes the others and rejects with its failure.
 */
export async function startAsked(
  asked: readonly SharedService[],
  context: AskedContext,
): Promise<() => Promise<void>> {
  const begun: SharedService[] = [];
  const close = async () => {
    // In the order of their needs: what was started first is asked by what came after.
    for (const each of begun.toReversed()) await each.close?.();
  };
  try {
    for (const each of asked) {
      begun.push(each);
      await each.start?.(context);
    }
  } catch (error) {
    await close();
    throw error;
  }
  return close;
}

/** The protections of one API at work. */
export interface Guards {
  readonly steps: ProtectionSteps;
  /** Ends what they opened; no request comes any more. */
  close(): Promise<void>;
}

/** Starts the protections of one API; where one cannot start, closes the others and rejects with its failure. */
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

/** What the API that a request is for has it pass. */
export const passGuards: ChainStep = (call) => call.api?.api.guards(call) ?? "next";
