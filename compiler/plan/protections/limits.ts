// Limits of an API, and callers who may have limits of their own, in; the protections that hold requests to them out.

import type { ApiDocument, ObjectField } from "../../trees/api.ts";
import { findField, findObject, mayBeEnabled } from "../find-field.ts";
import type { FieldPlan, ProtectionName, ProtectionPlan } from "../plan.ts";
import { planField, planObject, type ScriptPlanner } from "../plan-field.ts";
import { authenticationOrigin } from "./authentication.ts";

/** What of `middleware.global` says how requests are counted. */
const switches = ["skipRateLimit", "skipQuota"] as const;

/** Counting requests: by the rate of the API, and by what keys say, which nobody knows before the gateway runs. */
export function planRateLimits(api: ApiDocument, scripts: ScriptPlanner): ProtectionPlan | undefined {
  const own = findEnabled(api, "upstream", "rateLimit");
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
  return planLimit("rate_limits", api, "upstream.rateLimit", own, planned);
}

/** Counting what is open. */
export function planConnectionLimits(api: ApiDocument, scripts: ScriptPlanner): ProtectionPlan | undefined {
  const own = findEnabled(api, "middleware", "global", "connectionLimit");
  const fields = own === undefined ? [] : planObject(own, scripts).fields;
  return planLimit("connection_limits", api, "middleware.global.connectionLimit", own, fields);
}

/** Counting the messages of each connection. */
export function planMessageLimits(api: ApiDocument, scripts: ScriptPlanner): ProtectionPlan | undefined {
  const own = findEnabled(api, "middleware", "global", "messageRateLimit");
  const fields = own === undefined ? [] : planObject(own, scripts).fields;
  return planLimit("message_limits", api, "middleware.global.messageRateLimit", own, fields);
}

/** It is there where the API has a limit of its own, or callers who say who they are: their keys may have some. */
function planLimit(
  name: ProtectionName,
  api: ApiDocument,
  path: string,
  own: ObjectField | undefined,
  fields: readonly FieldPlan[],
): ProtectionPlan | undefined {
  const origin =
    own === undefined ? authenticationOrigin(api) : { span: own.span, path: `x-gw-api-gateway.${path}` };
  return origin && { name, origin, options: { kind: "Object", fields } };
}

function findEnabled(api: ApiDocument, ...path: readonly string[]): ObjectField | undefined {
  const block = findObject(api.gatewayFields, ...path);
  return block !== undefined && mayBeEnabled(block) ? block : undefined;
}
