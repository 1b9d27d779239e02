// Demands made of others.

import type { Demand, Output } from "./component.ts";

/**
 * Wanted while every one of `demands` is (`every`: all of them get each message), or while any is (`some`: one
 * of them gets it). `undefined` where one of the outputs takes messages at any time.
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

/** The same demand; letting go of the input calls `first` before: it lets go of what waits there, too. */
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
