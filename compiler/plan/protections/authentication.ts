// `security` and `server.authentication` in, the protections that ask who calls and look at what it may do out. A kind of
// scheme is a row here, and one in `SchemeKind` of model/security.ts.

import { invariant } from "../../diagnostics/invariant.ts";
import type { ApiModel } from "../../model/api.ts";
import type { SecurityRequirement } from "../../model/operations.ts";
import type { ApiAuthentication, SchemeKind, SecurityScheme } from "../../model/security.ts";
import { findText } from "../../trees/document.ts";
import type { FieldPlan, ObjectPlan, Origin, ProtectionPlan, ValuePlan } from "../plan.ts";
import { planField, type ScriptPlanner } from "../plan-field.ts";
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
function planMethod(scheme: SecurityScheme, scripts: ScriptPlanner): MethodPlan {
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

/** Who calls. */
export function planAuthentication(api: ApiModel, scripts: ScriptPlanner): ProtectionPlan | undefined {
  const origin = authenticationOrigin(api);
  if (origin === undefined) return undefined;
  const security = api.authentication.security;
  const operations = [
    ...security.operations.map(({ path, verb, requirements }) =>
      objectOf({ path: text(path), verb: text(verb), requirements: planRequirements(requirements) }),
    ),
    ...security.inheriting.map(({ path, verb }) => objectOf({ path: text(path), verb: text(verb) })),
  ];
  const options: Record<string, ValuePlan> = {
    methods: planMethods(api.authentication, scripts),
    requirements: planRequirements(security.general),
    ...(operations.length > 0 && { operations: { kind: "List", items: operations } }),
  };
  for (const { path, field } of api.authentication.options)
    if (field !== undefined) options[path.slice(path.lastIndexOf(".") + 1)] = planField(field, scripts);
  return { name: "authentication", origin, options: objectOf(options) };
}

/** What callers may do, by their keys and policies. */
export function planAccessRights(api: ApiModel): ProtectionPlan | undefined {
  const origin = authenticationOrigin(api);
  return origin && { name: "access_rights", origin, options: objectOf({}) };
}

/** What has the gateway ask who calls: the block of the gateway part, else the first scheme of `security`. */
export function authenticationOrigin({ authentication }: ApiModel): Origin | undefined {
  const { isRequired, block, security } = authentication;
  if (!isRequired) return undefined;
  if (block?.fields !== undefined) return { span: block.fields.span, path: `x-gw-api-gateway.${block.path}` };
  const [first] = security.asked;
  return first && { span: first.nameSpan, path: "security" };
}

/** Those of the schemes that something asks for. */
function planMethods({ security, schemes }: ApiAuthentication, scripts: ScriptPlanner): ObjectPlan {
  const fields = [...new Set(security.asked.map(({ name }) => name))].map((name): FieldPlan => {
    const scheme = schemes.get(name);
    invariant(scheme !== undefined, "a checked document describes the schemes it asks for");
    const { maker, options } = planMethod(scheme, scripts);
    return { name, value: options, defaulted: false, maker };
  });
  return { kind: "Object", fields };
}

function planRequirements(requirements: readonly SecurityRequirement[]): ValuePlan {
  const items = requirements.map(({ schemes }): ObjectPlan => {
    const fields = schemes.map(
      ({ name, scopes }): FieldPlan => ({
        name,
        value: { kind: "List", items: scopes.map(text) },
        defaulted: false,
      }),
    );
    return { kind: "Object", fields };
  });
  return { kind: "List", items };
}

function text(value: string): ValuePlan {
  return { kind: "Literal", value };
}

function objectOf(values: Readonly<Record<string, ValuePlan>>): ObjectPlan {
  const fields = Object.entries(values).map(([name, value]) => ({ name, value, defaulted: false }));
  return { kind: "Object", fields };
}
