// A security scheme in, the function that enforces it and its options out. A kind of scheme is a row here, and one in
// `SchemeKind` of model/security.ts.

import { invariant } from "../../diagnostics/invariant.ts";
import type { SchemeKind, SecurityScheme } from "../../model/security.ts";
import { findText } from "../../trees/document.ts";
import type { ObjectPlan } from "../plan.ts";
import type { ScriptPlanner } from "../plan-field.ts";
import {
  type MethodPlan,
  planJwt,
  planOauth2,
  planOpenIdConnect,
  planSources,
  planWritten,
} from "./token-methods.ts";

/** Plans one kind of scheme. */
type MethodPlanner = (scheme: SecurityScheme, scripts: ScriptPlanner) => MethodPlan;

const signatureFields = ["allowedAlgorithms", "allowedClockSkew", "requiredHeaders", "refuseRepeats"];

const planners: Readonly<Record<SchemeKind, MethodPlanner>> = {
  "auth-token": (scheme) => ({ maker: "auth-token", options: planAuthToken(scheme) }),
  basic: (scheme, scripts) => ({ maker: "basic", options: planBasic(scheme, scripts) }),
  jwt: planJwt,
  oauth2: planOauth2,
  "openid-connect": planOpenIdConnect,
  "mutual-tls": planMutualTls,
  signature: planSignedRequests,
};

/** The plan of a scheme of a document that was checked. */
export function planMethod(scheme: SecurityScheme, scripts: ScriptPlanner): MethodPlan {
  const { kind } = scheme;
  invariant(kind !== undefined, "a checked document asks for nothing that cannot be enforced");
  return planners[kind](scheme, scripts);
}

/** `type: apiKey`, or a bearer token that is not a JWT. */
function planAuthToken(scheme: SecurityScheme): ObjectPlan {
  const isBearer = findText(scheme.node, "type") === "http";
  const bearer = { name: "bearer", value: { kind: "Literal", value: true }, defaulted: false } as const;
  return { kind: "Object", fields: [...planSources(scheme), ...(isBearer ? [bearer] : [])] };
}

/** `type: http` with `scheme: basic`. */
function planBasic(scheme: SecurityScheme, scripts: ScriptPlanner): ObjectPlan {
  const written = planWritten(scheme.settings, ["disableCaching", "cacheTTL"], scripts);
  return { kind: "Object", fields: [...planSources(scheme), ...written] };
}

/** `type: mutualTLS`. */
function planMutualTls({ settings }: SecurityScheme, scripts: ScriptPlanner): MethodPlan {
  const fields = planWritten(settings, ["allowlist", "defaultPolicies"], scripts);
  return { maker: "mutual-tls", options: { kind: "Object", fields } };
}

/** `server.authentication.hmac`, or `type: http` with `scheme: signature`. */
function planSignedRequests(scheme: SecurityScheme, scripts: ScriptPlanner): MethodPlan {
  const header = planSources(scheme).filter(({ name }) => name === "header");
  const fields = [...header, ...planWritten(scheme.settings, signatureFields, scripts)];
  return { maker: "signed-requests", options: { kind: "Object", fields } };
}
