// Determines from a document and its settings who may call an API, in a form for people and programs.

import type { ApiModel } from "../model/api.ts";
import type { SecurityRequirement } from "../model/operations.ts";
import { collectRoutes, type Route } from "../model/routes.ts";
import { requirementsAt } from "../model/security.ts";
import type { SetModel } from "../model/set.ts";
import type { AccessRecord } from "../model/settings.ts";
import type { AccessPlan, CallersPlan, RoutePlan } from "./plan.ts";

/** Returns who may call `path` with `verb`. The path is below the listen path, as the document writes it. */
export type FindCallers = (verb: string, path: string) => CallersPlan;

/** Returns a lookup of the callers of an API, based on `requirementsAt`. */
export function planCallers({ authentication }: ApiModel): FindCallers {
  if (!authentication.isRequired) return () => "open";
  const { security } = authentication;
  return (verb, path) => callersOf(requirementsAt(security, verb, path));
}

/** Returns who may call a route, by verb. WebSocket routes have GET. */
export function callersOfRoute(
  { transport, verbs, ownPath }: Pick<Route, "transport" | "verbs" | "ownPath">,
  callers: FindCallers,
): RoutePlan["callers"] {
  const requested = transport === "websocket" ? ["GET"] : verbs;
  return Object.fromEntries(requested.map((verb) => [verb, callers(verb, ownPath)]));
}

/** A route of a component, with who may call it. */
export type ComponentRoute = Pick<Route, "component" | "transport" | "path"> & Pick<RoutePlan, "callers">;

/** Returns the routes of an API's streams in the order written. Works for APIs with errors, too. */
export function listComponentRoutes(api: ApiModel): readonly ComponentRoute[] {
  const callers = planCallers(api);
  return collectRoutes(api).map((route) => ({ ...route, callers: callersOfRoute(route, callers) }));
}

function callersOf(requirements: readonly SecurityRequirement[]): CallersPlan {
  if (requirements.length === 0 || requirements.every(({ schemes }) => schemes.length === 0)) return "open";
  return requirements.map(({ schemes }) =>
    Object.fromEntries(schemes.map(({ name, scopes }) => [name, scopes])),
  );
}

/** Returns what the document and the settings say about who may call the API. */
export function planAccess({ id, authentication }: ApiModel, { process }: SetModel): AccessPlan {
  if (!authentication.isRequired) return { callers: "open", operations: [], policies: [], keys: [] };
  const { general, operations } = authentication.security;
  const policies = process.policies.filter((policy) => isRight(policy, id));
  const ids = policies.flatMap((policy) => policy.id ?? []);
  const granting = new Set(
    process.policies.filter(({ rights }) => rights.length > 0).map((policy) => policy.id),
  );
  const keys = process.keys.filter((key) => opens(key, id, ids, granting));
  return {
    callers: callersOf(general),
    operations: operations.map(({ verb, path, requirements }) => ({
      verb,
      path,
      callers: callersOf(requirements),
    })),
    policies: ids,
    keys: keys.map(({ name = "" }) => name),
  };
}

/**
 * Whether a key grants access to an API, through a policy or its own rights. Its own rights apply only if no policy in
 * `granting` is among its policies. A key with neither grants access to every API.
 */
function opens(
  key: AccessRecord,
  id: string,
  policies: readonly string[],
  granting: ReadonlySet<string | undefined>,
): boolean {
  if (key.policies.some((applied) => policies.includes(applied.id))) return true;
  if (isRight(key, id) && !key.policies.some((applied) => granting.has(applied.id))) return true;
  return key.policies.length === 0 && key.rightsEntry === undefined;
}

function isRight({ rights }: AccessRecord, id: string): boolean {
  return rights.some(({ key }) => key === id);
}
