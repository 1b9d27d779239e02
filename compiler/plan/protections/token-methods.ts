// Plans schemes that use tokens: the method that checks the tokens, and its options.

import type { SecurityScheme } from "../../model/security-schemes.ts";
import type { ObjectField } from "../../trees/api.ts";
import { findText } from "../../trees/document.ts";
import { findField } from "../../trees/fields.ts";
import type { FieldPlan, MethodName, ObjectPlan } from "../plan.ts";
import { planField, type ScriptPlanner } from "../plan-field.ts";

/** An authentication method in a form that emitted code can create. */
export interface MethodPlan {
  readonly maker: MethodName;
  readonly options: ObjectPlan;
}

/** The fields that configure which claims of tokens are accepted. */
const claims = [
  "allowedIssuers",
  "allowedAudiences",
  "allowedSubjects",
  "expiresAtValidationSkew",
  "notBeforeValidationSkew",
  "issuedAtValidationSkew",
  "identityBaseField",
  "subjectClaims",
  "scopes",
];
const policies = ["policyFieldName", "basePolicyClaims", "defaultPolicies"];

/** Plans `scheme: bearer` with `bearerFormat: JWT`. If the scheme has no key of its own, the keys of `keys` sign its tokens. */
export function planJwt(scheme: SecurityScheme, scripts: ScriptPlanner): MethodPlan {
  if (scheme.verification !== "keys")
    return planTokens("jwt-of-keys", scheme, ["signingMethod", ...claims], scripts);
  const keys = ["signingMethod", "source", "jwksURIs"];
  return planTokens("jwt", scheme, [...keys, ...claims, ...policies], scripts);
}

/** Plans `type: oauth2`: tokens are introspected by their issuer, verified by signature, or issued by the gateway itself. */
export function planOauth2(scheme: SecurityScheme, scripts: ScriptPlanner): MethodPlan {
  if (scheme.verification === "introspection") return planIntrospection("oauth_key", scheme, scripts);
  return scheme.verification === "keys"
    ? planJwt(scheme, scripts)
    : planTokens("access-token", scheme, [], scripts);
}

/** `type: openIdConnect`. */
export function planOpenIdConnect(scheme: SecurityScheme, scripts: ScriptPlanner): MethodPlan {
  if (scheme.verification === "introspection") return planIntrospection("oidc_user", scheme, scripts);
  const url = literal("url", findText(scheme.openIdConnectUrl) ?? "");
  return planTokens("open-id-connect", scheme, ["signingMethod", ...claims, ...policies], scripts, [url]);
}

function planIntrospection(identity: string, scheme: SecurityScheme, scripts: ScriptPlanner): MethodPlan {
  const names = ["introspection", ...claims, ...policies];
  return planTokens("introspection", scheme, names, scripts, [literal("identity", identity)]);
}

function planTokens(
  maker: MethodName,
  scheme: SecurityScheme,
  names: readonly string[],
  scripts: ScriptPlanner,
  more: readonly FieldPlan[] = [],
): MethodPlan {
  const fields = [...planSources(scheme), ...more, ...planWritten(scheme.settings, names, scripts)];
  return { maker, options: { kind: "Object", fields } };
}

/** Returns those of the named fields that are written. */
export function planWritten(
  settings: ObjectField | undefined,
  names: readonly string[],
  scripts: ScriptPlanner,
): readonly FieldPlan[] {
  return names.flatMap((name) => {
    const field = findField(settings, name);
    return field === undefined ? [] : [{ name, value: planField(field, scripts), defaulted: false }];
  });
}

function literal(name: string, value: string): FieldPlan {
  return { name, value: { kind: "Literal", value }, defaulted: false };
}

/** Returns the fields `header`, `query` and `cookie` of a method with the names to read, for each that is used. */
export function planSources({ sources }: SecurityScheme): readonly FieldPlan[] {
  return sources.flatMap(({ place, name }): readonly FieldPlan[] =>
    name === "" ? [] : [{ name: place, value: { kind: "Literal", value: name }, defaulted: false }],
  );
}
