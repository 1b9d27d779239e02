// Who may call the routes of a definition, in words.

import type { CalledRoute } from "../../compiler/compile-definition.ts";
import { describeRequirements } from "../../runtime/protections/authentication/callers.ts";

/** A route of any kind, with who may call it as the service answers that. */
export type Described<Called> = Omit<Called, "callers"> & {
  /** By verb: schemes by their names, such as `key or token (scope orders:read)`, or `open`. */
  readonly callers: Readonly<Record<string, string>>;
};

/** A route as the service answers it. */
export type DescribedRoute = Described<CalledRoute>;

/** The same words that a gateway says of its routes. */
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
