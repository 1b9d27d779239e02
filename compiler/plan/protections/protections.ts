// Plans the checks that the requests of an API pass before its streams receive them. A new kind of scheme needs a row here and
// in `SchemeKind` of model/security.ts.

import { documentSchemas } from "../../../schemas/catalogue.ts";
import { invariant } from "../../diagnostics/invariant.ts";
import type { ApiModel } from "../../model/api.ts";
import type { SecurityRequirement } from "../../model/operations.ts";
import type { ApiAuthentication } from "../../model/security.ts";
import type { SchemeKind, SecurityScheme } from "../../model/security-schemes.ts";
import type { SetModel } from "../../model/set.ts";
import type { SettingsModel } from "../../model/settings.ts";
import type { WrittenBlock } from "../../model/written.ts";
import type { FieldNode, ObjectField } from "../../trees/api.ts";
import { findField } from "../../trees/fields.ts";
import { planRedis } from "../counters.ts";
import type { FieldPlan, ObjectPlan, Origin, ProtectionName, ProtectionPlan, ValuePlan } from "../plan.ts";
import { planField, planObject, type ScriptPlanner } from "../plan-field.ts";
import { literal, objectOf, withMakers } from "../values.ts";
import { planRequestValidation } from "./request-validation.ts";
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

const methodPlanners: Readonly<Record<SchemeKind, MethodPlanner>> = {
  "auth-token": (scheme) => ({ maker: "auth-token", options: planAuthToken(scheme) }),
  basic: (scheme, scripts) => ({ maker: "basic", options: planBasic(scheme, scripts) }),
  jwt: planJwt,
  oauth2: planOauth2,
  "openid-connect": planOpenIdConnect,
  "mutual-tls": planMutualTls,
  signature: planSignedRequests,
};

/** Returns the plan of a scheme of a checked document. */
function planMethod(scheme: SecurityScheme, scripts: ScriptPlanner): MethodPlan {
  const { kind } = scheme;
  invariant(kind !== undefined, "a checked document asks for nothing that cannot be enforced");
  return methodPlanners[kind](scheme, scripts);
}

/** `type: apiKey`, or a bearer token that is not a JWT. */
function planAuthToken(scheme: SecurityScheme): ObjectPlan {
  const isBearer = scheme.http !== undefined;
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

/** Plans authentication. */
function planAuthentication(api: ApiModel, scripts: ScriptPlanner): ProtectionPlan | undefined {
  const origin = authenticationOrigin(api);
  if (origin === undefined) return undefined;
  const security = api.authentication.security;
  const operations = [
    ...security.operations.map(({ path, verb, requirements }) =>
      objectOf({ path: literal(path), verb: literal(verb), requirements: planRequirements(requirements) }),
    ),
    ...security.inheriting.map(({ path, verb }) => objectOf({ path: literal(path), verb: literal(verb) })),
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

/** Plans the check of what callers may do, based on their keys and policies. */
function planAccessRights(api: ApiModel): ProtectionPlan | undefined {
  const origin = authenticationOrigin(api);
  return origin && { name: "access_rights", origin, options: objectOf({}) };
}

/** Returns the source of the authentication: the block of the gateway part, otherwise the first scheme of `security`. */
function authenticationOrigin({ authentication }: ApiModel): Origin | undefined {
  const { isRequired, block, security } = authentication;
  if (!isRequired) return undefined;
  if (block?.fields !== undefined) return { span: block.fields.span, path: `x-gw-api-gateway.${block.path}` };
  const [first] = security.required;
  return first && { span: first.nameSpan, path: "security" };
}

/** Plans the schemes that a security requirement names. */
function planMethods({ security, schemes }: ApiAuthentication, scripts: ScriptPlanner): ObjectPlan {
  const fields = [...new Set(security.required.map(({ name }) => name))].map((name): FieldPlan => {
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
        value: { kind: "List", items: scopes.map(literal) },
        defaulted: false,
      }),
    );
    return { kind: "Object", fields };
  });
  return { kind: "List", items };
}

/** Plans one protection; returns `undefined` if the document does not ask for it. */
type Planner = (api: ApiModel, scripts: ScriptPlanner) => ProtectionPlan | undefined;

/** All planners, in the order of the chain. */
const planners: readonly Planner[] = [
  planExpiration,
  planIpAccess,
  planClientCertificates,
  planRequestSize,
  planAuthentication,
  planAccessRights,
  planRateLimits,
  planConnectionLimits,
  planMessageLimits,
  planRequestValidation,
];

/** Returns the protections that a document asks for. */
export function planProtections(api: ApiModel, scripts: ScriptPlanner): readonly ProtectionPlan[] {
  return planners.flatMap((plan) => plan(api, scripts) ?? []);
}

/** Plans the addresses that may call. */
function planIpAccess({ blocks }: ApiModel, scripts: ScriptPlanner): ProtectionPlan | undefined {
  return planBlock("ip_access", blocks.ipAccess, scripts);
}

/** Plans the client certificates that callers must present. */
function planClientCertificates({ blocks }: ApiModel, scripts: ScriptPlanner): ProtectionPlan | undefined {
  return planBlock("client_certificates", blocks.clientCertificates, scripts);
}

/** Plans the maximum size of a body. */
function planRequestSize({ blocks }: ApiModel, scripts: ScriptPlanner): ProtectionPlan | undefined {
  return planBlock("request_size", blocks.requestSize, scripts);
}

/** Plans the time until which the API is served. */
function planExpiration({ expiration }: ApiModel, scripts: ScriptPlanner): ProtectionPlan | undefined {
  const time = expiration?.field;
  if (expiration === undefined || time === undefined) return undefined;
  return {
    name: "expiration",
    origin: { span: time.span, path: `x-gw-api-gateway.${expiration.path}` },
    options: {
      kind: "Object",
      fields: [{ name: "at", value: planField(time, scripts), defaulted: false }],
    },
  };
}

function planBlock(
  name: ProtectionName,
  block: WrittenBlock | undefined,
  scripts: ScriptPlanner,
): ProtectionPlan | undefined {
  if (block?.fields === undefined || block.isOff) return undefined;
  const origin = { span: block.fields.span, path: `x-gw-api-gateway.${block.path}` };
  return { name, origin, options: planObject(block.fields, scripts) };
}

const names = ["policies", "keys"];

/**
 * Returns the policies and keys if an API of the set authenticates callers, or if there is a portal, which
 * issues keys for policies. Other gateways contain none.
 */
export function planKeys(
  { settingsFields, process }: SetModel,
  asksWhoCalls: boolean,
  scripts: ScriptPlanner,
): ObjectPlan | undefined {
  if (settingsFields === undefined || !(asksWhoCalls || process.portal.isEnabled)) return undefined;
  const written = settingsFields.fields.filter(({ name }) => names.includes(name));
  if (written.length === 0 && !process.hasStore) return undefined;
  const schemas = documentSchemas.gateway.properties ?? {};
  const fields = written.map(({ name, value }) => ({
    name,
    value: withMakers(planField(value, scripts), schemas[name] ?? {}),
    defaulted: false,
  }));
  return { kind: "Object", fields };
}

/** Fields of a client that the gateway does not use. */
const forPeople = new Set(["use_case", "date_created"]);
const settings = ["access_token_lifetime", "refresh_tokens", "refresh_token_lifetime"];
/** The switches of `oauth`, and the runtime function that each requires. */
const switches = [
  ["authorization_code", "authorization-endpoint"],
  ["device_authorization", "device-authorization"],
] as const;

/**
 * Returns the OAuth endpoints if there are clients, or if `oauth` is written and a store may contain some. Other gateways
 * contain none.
 */
export function planOauth({ oauth, redis }: SettingsModel, scripts: ScriptPlanner): ObjectPlan | undefined {
  if (!oauth.isOffered) return undefined;
  const items = oauth.clientFields.map((client) => withoutNotes(planField(client, scripts)));
  const written = [
    ...planWritten(oauth.fields, settings, scripts),
    ...switches.flatMap(([name, brings]) => {
      const field = findField(oauth.fields, name);
      const isOn = field?.kind === "Literal" && field.value === true;
      return isOn ? [{ name, value: planField(field, scripts), defaulted: false, brings }] : [];
    }),
  ];
  const list = { name: "clients", value: { kind: "List", items }, defaulted: false } as const;
  const kept =
    redis?.field === undefined
      ? []
      : [{ name: "redis", value: planRedis(redis.field, scripts), defaulted: false }];
  return { kind: "Object", fields: [list, ...written, ...kept] };
}

function withoutNotes(client: ValuePlan): ValuePlan {
  if (client.kind !== "Object") return client;
  return { ...client, fields: client.fields.filter(({ name }) => !forPeople.has(name)) };
}

/** Plans rate limits: that of the API, and those of keys, which are unknown before the gateway runs. */
function planRateLimits(api: ApiModel, scripts: ScriptPlanner): ProtectionPlan | undefined {
  const { rateLimit, uncounted } = api.blocks;
  const own = fieldsOf(rateLimit);
  const fields = own === undefined ? [] : [planned("rateLimit", own, scripts)];
  const switches = uncounted.flatMap(({ path, field }) =>
    field === undefined ? [] : [planned(path.slice(path.lastIndexOf(".") + 1), field, scripts)],
  );
  return planLimit("rate_limits", api, rateLimit, [...fields, ...switches]);
}

/** Plans limits on open connections. */
function planConnectionLimits(api: ApiModel, scripts: ScriptPlanner): ProtectionPlan | undefined {
  const block = api.blocks.connectionLimit;
  return planLimit("connection_limits", api, block, planFields(block, scripts));
}

/** Plans limits on the messages of each connection. */
function planMessageLimits(api: ApiModel, scripts: ScriptPlanner): ProtectionPlan | undefined {
  const block = api.blocks.messageRateLimit;
  return planLimit("message_limits", api, block, planFields(block, scripts));
}

/** Plans a limit if the API has one of its own, or if it authenticates callers, whose keys may have one. */
function planLimit(
  name: ProtectionName,
  api: ApiModel,
  block: WrittenBlock | undefined,
  fields: readonly FieldPlan[],
): ProtectionPlan | undefined {
  const own = fieldsOf(block);
  const origin =
    block === undefined || own === undefined
      ? authenticationOrigin(api)
      : { span: own.span, path: `x-gw-api-gateway.${block.path}` };
  return origin && { name, origin, options: { kind: "Object", fields } };
}

function planFields(block: WrittenBlock | undefined, scripts: ScriptPlanner): readonly FieldPlan[] {
  const own = fieldsOf(block);
  return own === undefined ? [] : planObject(own, scripts).fields;
}

function fieldsOf(block: WrittenBlock | undefined): ObjectField | undefined {
  return block?.isOff ? undefined : block?.fields;
}

function planned(name: string, value: FieldNode, scripts: ScriptPlanner): FieldPlan {
  return { name, value: planField(value, scripts), defaulted: false };
}
