// `security` and `server.authentication` in, the protections that ask who calls and look at what it may do out.

import { invariant } from "../../diagnostics/invariant.ts";
import {
  type ApiSecurity,
  askedSchemes,
  asksWhoCalls,
  type SecurityRequirement,
  securityOf,
  securitySchemes,
} from "../../model/security.ts";
import type { ApiDocument } from "../../trees/api.ts";
import { findField, findObject } from "../find-field.ts";
import type { FieldPlan, ObjectPlan, Origin, ProtectionPlan, ValuePlan } from "../plan.ts";
import { planField, type ScriptPlanner } from "../plan-field.ts";
import { planMethod } from "./methods.ts";

/** Who calls. */
export function planAuthentication(api: ApiDocument, scripts: ScriptPlanner): ProtectionPlan | undefined {
  const origin = authenticationOrigin(api);
  if (origin === undefined) return undefined;
  const security = securityOf(api);
  const operations = [
    ...security.operations.map(({ path, verb, requirements }) =>
      objectOf({ path: text(path), verb: text(verb), requirements: planRequirements(requirements) }),
    ),
    ...security.inheriting.map(({ path, verb }) => objectOf({ path: text(path), verb: text(verb) })),
  ];
  const options: Record<string, ValuePlan> = {
    methods: planMethods(api, security, scripts),
    requirements: planRequirements(security.general),
    ...(operations.length > 0 && { operations: { kind: "List", items: operations } }),
  };
  for (const name of ["baseIdentityProvider", "stripAuthorizationData"]) {
    const field = findField(api.gatewayFields, "server", "authentication", name);
    if (field !== undefined) options[name] = planField(field, scripts);
  }
  return { name: "authentication", origin, options: objectOf(options) };
}

/** What callers may do, by their keys and policies. */
export function planAccessRights(api: ApiDocument): ProtectionPlan | undefined {
  const origin = authenticationOrigin(api);
  return origin && { name: "access_rights", origin, options: objectOf({}) };
}

/** What has the gateway ask who calls: the block of the gateway part, else the first scheme of `security`. */
export function authenticationOrigin(api: ApiDocument): Origin | undefined {
  if (!asksWhoCalls(api)) return undefined;
  const block = findObject(api.gatewayFields, "server", "authentication");
  if (block !== undefined) return { span: block.span, path: "x-gw-api-gateway.server.authentication" };
  const [first] = askedSchemes(securityOf(api));
  return first && { span: first.nameSpan, path: "security" };
}

/** Those of the schemes that something asks for. */
function planMethods(api: ApiDocument, security: ApiSecurity, scripts: ScriptPlanner): ObjectPlan {
  const lists = [security.general, ...security.operations.map(({ requirements }) => requirements)];
  const named = new Set(lists.flat().flatMap(({ schemes }) => schemes.map(({ name }) => name)));
  const schemes = new Map(securitySchemes(api).map((scheme) => [scheme.name, scheme]));
  const fields = [...named].map((name): FieldPlan => {
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
