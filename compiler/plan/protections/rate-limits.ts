// `upstream.rateLimit`, and keys that may have limits of their own, in; the protection that counts requests out.

import type { ApiDocument, ObjectField } from "../../parse/document/api.ts";
import { findField, findObject, mayBeEnabled } from "../find-field.ts";
import type { FieldPlan, ProtectionPlan } from "../plan.ts";
import { planField, type ScriptPlanner } from "../plan-field.ts";

/** What of `middleware.global` says how requests are counted. */
const switches = ["skipRateLimit", "skipQuota"] as const;

/**
 * Counting, where the API has a limit of its own or callers who may have some: what keys say is not known before the
 * gateway runs.
 */
export function planRateLimits(api: ApiDocument, scripts: ScriptPlanner): ProtectionPlan | undefined {
  const rateLimit = findObject(api.gatewayFields, "upstream", "rateLimit");
  const own = rateLimit !== undefined && mayBeEnabled(rateLimit) ? rateLimit : undefined;
  const callers = findCallers(api);
  const first = own ?? callers;
  if (first === undefined) return undefined;
  const all = findObject(api.gatewayFields, "middleware", "global");
  const fields = [
    ...(own === undefined ? [] : [{ name: "rateLimit", value: own }]),
    ...switches.flatMap((name) => {
      const value = findField(all, name);
      return value === undefined ? [] : [{ name, value }];
    }),
  ];
  const planned = fields.map(
    ({ name, value }): FieldPlan => ({ name, value: planField(value, scripts), defaulted: false }),
  );
  return {
    name: "rate_limits",
    origin: {
      span: first.span,
      path: `x-gw-api-gateway.${own === undefined ? "server.authentication" : "upstream.rateLimit"}`,
    },
    options: { kind: "Object", fields: planned },
  };
}

/** Where callers say who they are, their keys may have limits. */
function findCallers(api: ApiDocument): ObjectField | undefined {
  const authentication = findObject(api.gatewayFields, "server", "authentication");
  return authentication !== undefined && mayBeEnabled(authentication) ? authentication : undefined;
}
