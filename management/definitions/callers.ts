// Describes who may call the routes of a definition.

import type { CalledRoute } from "../../compiler/compile-definition.ts";
import { describeRequirements } from "../../runtime/protections/authentication/callers.ts";

/** A route whose callers are described as texts. */
export type Described<Called> = Omit<Called, "callers"> & {
  /** By verb: the names of schemes, such as `key or token (scope orders:read)`, or `open`. */
  readonly callers: Readonly<Record<string, string>>;
};

/** Describes the callers of routes, in the same words that a gateway uses. */
export function describeRoutes<Called extends Pick<CalledRoute, "callers">>(
  routes: readonly Called[],
): readonly Described<Called>[] {
  return routes.map(({ callers, ...route }) => ({
    ...route,
    callers: Object.fromEntries(
      Object.entries(callers).map(([verb, requirements]) => [
        verb,
        describeRequirements(requirements === "open" ? [] : requirements),
      ]),
    ),
  }));
}
