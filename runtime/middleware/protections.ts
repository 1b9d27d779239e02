// Has requests pass what the document of their API asks for.

import type { ApiIdentity } from "../api-identity.ts";
import type { PreparedApi } from "../prepared-api.ts";
import type { Guard, ProtectionContext } from "../protection.ts";
import { inTurn, type ProtectionPlace, type Step, type Steps } from "./chain.ts";

/** The protections of all APIs at work. */
export interface Protections {
  /** By place; places without one are left out. */
  readonly steps: Pick<Steps, ProtectionPlace>;
  close(): Promise<void>;
}

/** What protections of several APIs ask, such as the keys of a gateway. */
export interface Asked {
  start?(context: Omit<ProtectionContext, "api">): Promise<void>;
  close?(): Promise<void>;
}

/**
 * Starts the protections of all APIs, and before them what they ask and nobody else starts. Where one cannot start, closes
 * the others and rejects with its failure.
 */
export async function startProtections(
  apis: readonly Pick<PreparedApi, "served" | "protections">[],
  context: Omit<ProtectionContext, "api">,
  asked: readonly Asked[] = [],
): Promise<Protections> {
  const started: Guard[] = [];
  const begun: Asked[] = [];
  const close = async () => {
    await Promise.all(started.map((guard) => guard.close?.()));
    // In the order of their needs: what was started first is asked by what came after.
    for (const each of begun.toReversed()) await each.close?.();
  };
  const byPlace = new Map<ProtectionPlace, Map<ApiIdentity, Step[]>>();
  try {
    for (const each of asked) {
      begun.push(each);
      await each.start?.(context);
    }
    for (const { served, protections } of apis) {
      const { definition } = served;
      for (const { place, start } of protections) {
        const log = context.log.with({ api: definition.id, component: place });
        const guard = await start({ ...context, log, api: definition.id });
        started.push(guard);
        const ofPlace = byPlace.get(place) ?? new Map<ApiIdentity, Step[]>();
        byPlace.set(place, ofPlace.set(definition, [...(ofPlace.get(definition) ?? []), guard.check]));
      }
    }
  } catch (error) {
    await close();
    throw error;
  }
  const steps = [...byPlace].map(([place, guards]) => [place, guardStep(guards)] as const);
  return { steps: Object.fromEntries(steps), close };
}

/** The guards of the API that a request is for; those of one place follow each other. */
function guardStep(guards: ReadonlyMap<ApiIdentity, readonly Step[]>): Step {
  const joined = new Map([...guards].map(([definition, steps]) => [definition, inTurn(steps)]));
  return (call) => {
    const definition = call.api?.api.definition;
    return (definition && joined.get(definition)?.(call)) ?? "next";
  };
}
