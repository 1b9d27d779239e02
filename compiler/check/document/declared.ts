// The operations of a document against the routes of its streams.

import { listenPathOf } from "../../model/listen-path.ts";
import type { DeclaredPath } from "../../model/operations.ts";
import type { ApiDocument } from "../../trees/api.ts";
import { findField } from "./components.ts";
import type { Route } from "./routes.ts";

/**
 * The declared path that describes a route. Documents without `servers` may write the listen path in front
 * of their paths, so the whole path counts too.
 */
export function findDeclared(route: Route, declared: readonly DeclaredPath[]): DeclaredPath | undefined {
  const whole = listenPathOf(route.api) + route.ownPath.slice(1);
  return declared.find(({ path }) => path === route.ownPath || path === whole);
}

/** Whether requests that no stream takes go on to an upstream. */
export function hasUpstream({ gatewayFields }: ApiDocument): boolean {
  return findField(findField(gatewayFields, "upstream")?.value, "url") !== undefined;
}
