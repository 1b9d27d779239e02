// Combines and wraps the demands of outputs.

import type { Demand, Output } from "./component.ts";

/**
 * Returns a demand that is wanted while every demand is (`every`: all outputs receive each message) or while at least
 * one is (`some`: one output receives it). `undefined` if an output accepts messages at any time.
 */
export function joinDemands(outputs: readonly Output[], wanting: "every" | "some"): Demand | undefined {
  const demands = outputs.flatMap(({ demand }) => demand ?? []);
  if (demands.length === 0 || demands.length < outputs.length) return undefined;
  return {
    get wanted() {
      return demands[wanting]((demand) => demand.wanted);
    },
    get clients() {
      return demands.reduce((sum, demand) => sum + (demand.clients ?? 0), 0);
    },
    onChange(listener) {
      const stops = demands.map((demand) => demand.onChange(listener));
      return () => {
        for (const stop of stops) stop();
      };
    },
    release() {
      for (const demand of demands) demand.release?.();
    },
  };
}

/**
 * Returns the same demand with a `release` that calls `first` before, so that the messages that wait there are
 * released, too.
 */
export function withRelease(demand: Demand, first: () => void): Demand {
  return {
    get wanted() {
      return demand.wanted;
    },
    get clients() {
      return demand.clients ?? 0;
    },
    onChange: (listener) => demand.onChange(listener),
    release() {
      first();
      demand.release?.();
    },
  };
}
