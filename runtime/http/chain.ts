// The order in which a request passes through the parts of the gateway.

import type { Call, ChainStep, StepResult } from "./call.ts";

/** Places that the documents of a gateway, or its host, may fill, in the order in which requests to an API pass them. */
export const protectionPlaces = [
  "ip-access",
  "client-certificate",
  "request-size",
  "authentication",
  "key-and-policy",
  "rate-limit",
  "validation",
] as const;

export type ProtectionPlace = (typeof protectionPlaces)[number];

/** Every place of the chain, from the listener inwards; at `protections` each API has a chain of its own. */
export const places = [
  "cors",
  "oauth",
  "portal",
  "listen-path",
  "workers",
  "versions",
  "protections",
  "streams",
  "upstream",
] as const;

export type ChainPlace = (typeof places)[number];

/** The steps by place; a place without a step is skipped. */
export type Steps = { readonly [P in ChainPlace]?: ChainStep };

/** The steps before one API, by place. */
export type ProtectionSteps = { readonly [P in ProtectionPlace]?: ChainStep };

/** Combines steps into one. They run in the order of `places`. */
export function createChain(steps: Steps): ChainStep {
  return inTurn(places.flatMap((place) => steps[place] ?? []));
}

/** Combines the steps before one API; at each place, the steps of an earlier set run first. */
export function createProtectionChain(...sets: readonly ProtectionSteps[]): ChainStep {
  return inTurn(protectionPlaces.flatMap((place) => sets.flatMap((steps) => steps[place] ?? [])));
}

/** Passes every request on. All APIs without protections share it, so that their requests read nothing of their own. */
const passOn: ChainStep = () => "next";

/** Combines steps into one: each runs after the step before has passed the request on. */
export function inTurn(steps: readonly ChainStep[]): ChainStep {
  const [only, ...others] = steps;
  if (only === undefined) return passOn;
  if (others.length === 0) return only;
  return (call) => follow(steps, 0, call);
}

function follow(steps: readonly ChainStep[], from: number, call: Call): StepResult | Promise<StepResult> {
  for (let position = from; position < steps.length; position += 1) {
    const result = steps[position]?.(call) ?? "next";
    if (result instanceof Promise) {
      // The result of the last step is that of all: a promise less for each request whose body is validated.
      if (position + 1 === steps.length) return result;
      return result.then((settled) => (settled === "next" ? follow(steps, position + 1, call) : settled));
    }
    if (result !== "next") return result;
  }
  return "next";
}
