// The order in which a request meets the parts of the gateway.

import type { GatewayError } from "../errors.ts";
import type { Call } from "./call.ts";

/** Every place of the chain, from the listener inwards. */
export const places = [
  "cors",
  "oauth",
  "portal",
  "listen-path",
  "workers",
  "ip-access",
  "client-certificate",
  "request-size",
  "authentication",
  "key-and-policy",
  "rate-limit",
  "validation",
  "streams",
  "upstream",
] as const;

export type Place = (typeof places)[number];

/** Places that the documents of a gateway, or its host, may fill. */
export type ProtectionPlace = Exclude<
  Place,
  "cors" | "oauth" | "portal" | "listen-path" | "workers" | "streams" | "upstream"
>;

/**
 * What a step did: passed the request on, answered it (or will, once the caller's turn comes), or refuses
 * it with an error. Refusals are returned and not thrown: they are no exception, and far cheaper so.
 */
export type StepResult = "next" | "done" | GatewayError;

/** One thing a request passes. */
export type Step = (call: Call) => StepResult | Promise<StepResult>;

/** The steps by their place; places without one are passed. */
export type Steps = { readonly [P in Place]?: Step };

/**
 * The steps as one, in the order of `places` whatever the order they were named in; at one place those of an earlier
 * set come first.
 */
export function createChain(...sets: readonly Steps[]): Step {
  return inTurn(places.flatMap((place) => sets.flatMap((steps) => steps[place] ?? [])));
}

/** The steps as one, each after the one before has passed the request on. */
export function inTurn(steps: readonly Step[]): Step {
  const [only, ...others] = steps;
  if (only !== undefined && others.length === 0) return only;
  return (call) => follow(steps, 0, call);
}

function follow(steps: readonly Step[], from: number, call: Call): StepResult | Promise<StepResult> {
  for (let position = from; position < steps.length; position += 1) {
    const result = steps[position]?.(call) ?? "next";
    if (result instanceof Promise) {
      return result.then((settled) => (settled === "next" ? follow(steps, position + 1, call) : settled));
    }
    if (result !== "next") return result;
  }
  return "next";
}
