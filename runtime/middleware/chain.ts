// The order in which a request meets the parts of the gateway.

import type { GatewayError } from "../errors.ts";
import type { Call } from "./call.ts";

/** Every place of the chain, from the listener inwards. */
export const places = [
  "cors",
  "listen-path",
  "workers",
  "authentication",
  "key-and-policy",
  "rate-limit",
  "streams",
  "upstream",
] as const;

export type Place = (typeof places)[number];

/**
 * What a step did: passed the request on, answered it (or will, once the caller's turn comes), or refuses
 * it with an error. Refusals are returned and not thrown: they are no exception, and far cheaper so.
 */
export type StepResult = "next" | "done" | GatewayError;

/** One thing a request passes. */
export type Step = (call: Call) => StepResult | Promise<StepResult>;

/** The steps by their place; places without one are passed. */
export type Steps = { readonly [P in Place]?: Step };

/** The steps as one, in the order of `places` whatever the order they were named in. */
export function createChain(steps: Steps): Step {
  const ordered = places.flatMap((place) => steps[place] ?? []);
  return (call) => follow(ordered, 0, call);
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
