// What a document says of who may call: its security schemes, what it and its operations ask for, and how the part of
// the gateway refines that.

import type { Span } from "../source/source.ts";
import type { ApiDocument, ObjectField } from "../trees/api.ts";
import {
  type DocumentNode,
  findEntry,
  findNode,
  findText,
  type MapEntry,
  type ScalarNode,
} from "../trees/document.ts";
import {
  type DeclaredPath,
  declaredPaths,
  type OperationPlace,
  operationsBeside,
  pathsBelow,
} from "./operations.ts";
import { isSwitchedOff } from "./protection-blocks.ts";

/** Kinds of security schemes, by what enforces them. */
export type SchemeKind =
  | "auth-token"
  | "basic"
  | "jwt"
  | "oauth2"
  | "openid-connect"
  | "mutual-tls"
  | "signature";

/** The kinds that a gateway enforces; a document that asks for another one does not compile. */
export const enforcedKinds = [
  "auth-token",
  "basic",
  "jwt",
  "oauth2",
  "openid-connect",
  "mutual-tls",
  "signature",
] as const satisfies readonly SchemeKind[];
export type EnforcedKind = (typeof enforcedKinds)[number];

/** An entry of `components.securitySchemes`. */
export interface SecurityScheme {
  readonly name: string;
  readonly nameSpan: Span;
  /** What describes it, a reference followed. */
  readonly node: DocumentNode | undefined;
  /** `undefined` where nothing is known that would enforce it. */
  readonly kind: SchemeKind | undefined;
  /** Its entry in `server.authentication.securitySchemes`, read by its schema. */
  readonly settings: ObjectField | undefined;
}

/** Schemes that all have to let a request in; with none it needs no credential. */
export interface SecurityRequirement {
  readonly span: Span;
  readonly schemes: readonly RequiredScheme[];
}

export interface RequiredScheme {
  readonly name: string;
  readonly nameSpan: Span;
  readonly scopes: readonly string[];
}

/** What an operation asks for in place of the general requirements. */
export interface OperationRequirements extends OperationPlace {
  readonly verbSpan: Span;
  readonly requirements: readonly SecurityRequirement[];
}

/** What requests to an API have to satisfy. */
export interface ApiSecurity {
  /** One of these, unless the request is for one of `operations`; with none nobody is asked. */
  readonly general: readonly SecurityRequirement[];
  readonly operations: readonly OperationRequirements[];
  /**
   * Operations that ask for nothing of their own, but whose requests would else be taken for those of one of `operations`:
   * `/rooms/new` beside `/rooms/{id}`.
   */
  readonly inheriting: readonly OperationPlace[];
  /** Those that are written, but do not count. */
  readonly ignored: readonly SecurityRequirement[];
}

/**
 * Whether the gateway asks callers of an API who they are: where `security` or the gateway part names a scheme, unless
 * `server.authentication.enabled` is false.
 */
export function asksWhoCalls(api: ApiDocument): boolean {
  const enabled = authenticationSwitch(api);
  return enabled === undefined ? askedSchemes(securityOf(api)).length > 0 : enabled.value === true;
}

/** `server.authentication.enabled`, where it is a boolean. */
export function authenticationSwitch({ gateway }: ApiDocument): ScalarNode | undefined {
  const enabled = findNode(gateway, "server", "authentication", "enabled");
  return enabled?.kind === "scalar" && typeof enabled.value === "boolean" ? enabled : undefined;
}

/** Each place where a scheme is asked for, once: general requirements may be those of operations. */
export function askedSchemes({ general, operations }: ApiSecurity): readonly RequiredScheme[] {
  const lists = [general, ...operations.map(({ requirements }) => requirements)];
  const named = lists.flat().flatMap(({ schemes }) => schemes);
  return [...new Map(named.map((scheme) => [scheme.nameSpan.start, scheme])).values()];
}

/** The entries of `components.securitySchemes`. */
export function schemeEntries({ root, references }: ApiDocument): readonly MapEntry[] {
  return entriesOf(references.find(root, "components", "securitySchemes"));
}

/** The same, read. */
export function securitySchemes(api: ApiDocument): readonly SecurityScheme[] {
  const described = schemeEntries(api).map(({ key, keySpan, value }): SecurityScheme => {
    const node = api.references.resolve(value);
    const settings = settingsOf(api, "securitySchemes", key);
    return { name: key, nameSpan: keySpan, node, kind: kindOf(node), settings };
  });
  const signing = signingOf(api);
  if (signing === undefined) return described;
  const settings = settingsOf(api, "hmac");
  return [...described, { ...signing, node: undefined, kind: "signature", settings }];
}

/** What `server.authentication.hmac` asks for besides all else, where it is on; no scheme can be called that. */
function signingOf({ gateway }: ApiDocument): RequiredScheme | undefined {
  const block = findEntry(findNode(gateway, "server", "authentication"), "hmac");
  if (block === undefined || isSwitchedOff(block.value)) return undefined;
  return { name: "server.authentication.hmac", nameSpan: block.keySpan, scopes: [] };
}

function kindOf(node: DocumentNode | undefined): SchemeKind | undefined {
  switch (findText(node, "type")) {
    case "apiKey":
      return "auth-token";
    case "http":
      return httpKindOf(node);
    case "oauth2":
      return "oauth2";
    case "openIdConnect":
      return "openid-connect";
    case "mutualTLS":
      return "mutual-tls";
    default:
      return undefined;
  }
}

/** A bearer token is a key, unless it is said to be a JWT. `signature` is that of draft-cavage-http-signatures. */
function httpKindOf(node: DocumentNode | undefined): SchemeKind | undefined {
  const scheme = findText(node, "scheme")?.toLowerCase();
  if (scheme === "basic") return "basic";
  if (scheme === "signature") return "signature";
  if (scheme !== "bearer") return undefined;
  return findText(node, "bearerFormat")?.toLowerCase() === "jwt" ? "jwt" : "auth-token";
}

/** The block at `path` below `server.authentication`. */
function settingsOf({ gatewayFields }: ApiDocument, ...path: readonly string[]): ObjectField | undefined {
  let at = gatewayFields;
  for (const key of ["server", "authentication", ...path]) {
    const value = at?.fields.find((field) => field.name === key)?.value;
    at = value?.kind === "Object" ? value : undefined;
  }
  return at;
}

/** The entries of `x-gw-api-gateway.server.authentication.securitySchemes`. */
export function configuredSchemes({ gateway }: ApiDocument): readonly MapEntry[] {
  return entriesOf(findNode(gateway, "server", "authentication", "securitySchemes"));
}

/** The names in a list of security requirements. */
export function namesIn(security: DocumentNode | undefined): readonly MapEntry[] {
  return security?.kind === "list" ? security.items.flatMap(entriesOf) : [];
}

/**
 * What requests have to satisfy where the gateway asks. In `legacy` mode only the first requirement of each list counts.
 * Without `security` every scheme that is configured has to let a request in. Where the document itself asks for nothing
 * and some operations do, requests that are for no operation have to satisfy what one of those asks for: an API that is
 * protected at some places is open only where it says so.
 */
export function securityOf(api: ApiDocument): ApiSecurity {
  const mode = findText(api.gateway, "server", "authentication", "securityProcessingMode");
  const counting = mode === "legacy" ? 1 : Number.POSITIVE_INFINITY;
  const written = findNode(api.root, "security");
  const own = written === undefined ? configuredRequirement(api) : readRequirements(written);
  const all = declaredPaths(api).flatMap((path) => operationsOf(path, api));
  const operations = all.map((each) => ({ ...each, requirements: each.requirements.slice(0, counting) }));
  const asked = operations.flatMap(({ requirements }) => requirements);
  const security = {
    general: own.length > 0 ? own.slice(0, counting) : asked.filter(({ schemes }) => schemes.length > 0),
    operations,
    inheriting: operationsBeside(operations, api),
    ignored: [own, ...all.map(({ requirements }) => requirements)].flatMap((list) => list.slice(counting)),
  };
  return withSigning(security, api);
}

/**
 * What requests for a path have to satisfy; the path is below the listen path. It is that of an operation where both have the
 * same segments, whatever their parameters are called.
 */
export function requirementsAt(
  { general, operations }: ApiSecurity,
  verb: string,
  path: string,
): readonly SecurityRequirement[] {
  const shape = shapeOf(path);
  const own = operations.find((each) => each.verb === verb && shapeOf(each.path) === shape);
  return own?.requirements ?? general;
}

function shapeOf(path: string): string {
  return path.replace(/\{[^{}]*\}/g, "{}");
}

/** Every requirement with the signature that is asked for besides; operations that ask for nothing stay open. */
function withSigning(security: ApiSecurity, api: ApiDocument): ApiSecurity {
  const signing = signingOf(api);
  if (signing === undefined) return security;
  const { general, operations } = security;
  const added = (requirements: readonly SecurityRequirement[]) =>
    requirements.map(({ span, schemes }) => ({ span, schemes: [...schemes, signing] }));
  return {
    ...security,
    general: general.length > 0 ? added(general) : [{ span: signing.nameSpan, schemes: [signing] }],
    operations: operations.map((each) => ({ ...each, requirements: added(each.requirements) })),
  };
}

function operationsOf(declared: DeclaredPath, api: ApiDocument): readonly OperationRequirements[] {
  return [...declared.operations().values()].flatMap(({ verb, verbSpan, node }) => {
    const security = findEntry(node, "security")?.value;
    if (security === undefined) return [];
    const requirements = readRequirements(security);
    return pathsBelow(declared.path, api).map((path) => ({ path, verb, verbSpan, requirements }));
  });
}

function configuredRequirement(api: ApiDocument): readonly SecurityRequirement[] {
  const schemes = configuredSchemes(api).flatMap(({ key, keySpan, value }) => {
    return isSwitchedOff(value) ? [] : [{ name: key, nameSpan: keySpan, scopes: [] }];
  });
  const [first] = schemes;
  return first === undefined ? [] : [{ span: first.nameSpan, schemes }];
}

function readRequirements(security: DocumentNode): readonly SecurityRequirement[] {
  if (security.kind !== "list") return [];
  return security.items.map((item) => ({
    span: item.span,
    schemes: entriesOf(item).map(({ key, keySpan, value }) => ({
      name: key,
      nameSpan: keySpan,
      scopes: value.kind === "list" ? value.items.flatMap((scope) => findText(scope) ?? []) : [],
    })),
  }));
}

function entriesOf(node: DocumentNode | undefined): readonly MapEntry[] {
  return node?.kind === "map" ? node.entries : [];
}
