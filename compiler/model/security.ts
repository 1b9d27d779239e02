// What a document says of who may call: its security schemes, what it and its operations ask for, and how the part of
// the gateway refines that.

import type { Span } from "../source/source.ts";
import type { ApiDocument, ObjectField } from "../trees/api.ts";
import { type DocumentNode, findNode, findText, type MapEntry } from "../trees/document.ts";
import { findField, findObject } from "../trees/fields.ts";
import {
  type DeclaredApi,
  type DeclaredPath,
  type OperationPlace,
  operationsBeside,
  pathsBelow,
  type RequiredScheme,
  requirementsOf,
  type SecurityRequirement,
} from "./operations.ts";
import { booleanOf, entriesOf, type PartReader, type WrittenBlock, type WrittenValue } from "./written.ts";

/** The kinds of security schemes that a gateway enforces; a document that asks for another one does not compile. */
export const enforcedKinds = [
  "auth-token",
  "basic",
  "jwt",
  "oauth2",
  "openid-connect",
  "mutual-tls",
  "signature",
] as const;

/** A kind of security schemes, by what enforces it. */
export type SchemeKind = (typeof enforcedKinds)[number];

/** An entry of `components.securitySchemes`. */
export interface SecurityScheme {
  readonly name: string;
  readonly nameSpan: Span;
  /** What describes it, a reference followed. */
  readonly node: DocumentNode | undefined;
  /** `undefined` where nothing is known that would enforce it. */
  readonly kind: SchemeKind | undefined;
  /** What `type: apiKey` describes. */
  readonly apiKey: { readonly in: string | undefined; readonly name: string | undefined } | undefined;
  /** Its entry in `server.authentication.securitySchemes`, read by its schema. */
  readonly settings: ObjectField | undefined;
  /** Whether that entry holds `enabled: false`. */
  readonly isOff: boolean;
  /** Where in a request its credential may be; of certificates and signatures it says little. */
  readonly sources: readonly CredentialSource[];
  /**
   * How its tokens are verified: by asking their issuer, by keys that the document names, or as those that the gateway
   * itself gives out or knows the keys of.
   */
  readonly verification: "introspection" | "keys" | "own";
}

/** A place of requests where a credential is looked for. */
export interface CredentialSource {
  readonly place: "header" | "query" | "cookie";
  /** Of the header, parameter or cookie; empty where it is written so. */
  readonly name: string;
}

/** What an operation asks for in place of the general requirements. */
export interface OperationRequirements extends OperationPlace {
  readonly verbSpan: Span;
  readonly requirements: readonly SecurityRequirement[];
}

/** What requests to an API have to satisfy where the gateway authenticates them. */
export interface ApiSecurity {
  /** One of these, unless the request is for one of `operations`; with none no credential is required. */
  readonly general: readonly SecurityRequirement[];
  readonly operations: readonly OperationRequirements[];
  /**
   * Operations that ask for nothing of their own, but whose requests would else be taken for those of one of `operations`:
   * `/rooms/new` beside `/rooms/{id}`.
   */
  readonly inheriting: readonly OperationPlace[];
  /** Those that are written, but do not count. */
  readonly ignored: readonly SecurityRequirement[];
  /** Each place where a scheme is asked for, once: general requirements may be those of operations. */
  readonly asked: readonly RequiredScheme[];
}

/** How an API authenticates its callers. */
export interface ApiAuthentication {
  /** `server.authentication` */
  readonly block: WrittenBlock | undefined;
  /**
   * Whether the gateway authenticates callers: where `security` or the gateway part names a scheme, unless
   * `server.authentication.enabled` is false.
   */
  readonly isRequired: boolean;
  /** Whether no request gets in without a credential, but for operations that are open themselves. */
  readonly isRequiredOfAll: boolean;
  /** Whether the document says explicitly that all callers are admitted: `enabled: false`, `security: []`, `security: [{}]`. */
  readonly isOpenInWriting: boolean;
  /** The names of `components.securitySchemes`. */
  readonly described: readonly MapEntry[];
  /** The entries of `server.authentication.securitySchemes`; none where `authentication` is off. */
  readonly configured: readonly MapEntry[];
  /** Those that are described, and the one of `server.authentication.hmac`. */
  readonly schemes: ReadonlyMap<string, SecurityScheme>;
  readonly security: ApiSecurity;
  /** `baseIdentityProvider` and `stripAuthorizationData`, where they are written. */
  readonly options: readonly WrittenValue[];
}

/** Resolves it. */
export function readAuthentication(api: DeclaredApi, gateway: PartReader): ApiAuthentication {
  const block = gateway.block("server", "authentication");
  const configured = entriesOf(findNode(block?.node, "securitySchemes"));
  const signing = signingOf(gateway);
  const security = securityOf(api, block, configured, signing);
  const isRequired = block?.enabled ?? security.asked.length > 0;
  const { general } = security;
  const described = schemeEntries(api);
  const schemes = [...described.map((entry) => schemeOf(entry, api, block)), ...signedScheme(signing, block)];
  return {
    block,
    isRequired,
    isRequiredOfAll:
      isRequired && general.length > 0 && general.every((requirement) => requirement.schemes.length > 0),
    isOpenInWriting: block?.isOff === true || isOpen(findNode(api.root, "security")),
    described,
    configured: block?.isOff === true ? [] : configured,
    schemes: new Map(schemes.map((scheme) => [scheme.name, scheme])),
    security,
    options: ["baseIdentityProvider", "stripAuthorizationData"].flatMap(
      (name) => gateway.value("server", "authentication", name) ?? [],
    ),
  };
}

/** Nothing is asked for, or nothing that has to be there. */
function isOpen(security: DocumentNode | undefined): boolean {
  return security?.kind === "list" && security.items.every(({ kind }) => kind === "map");
}

function schemeEntries({ root, references }: ApiDocument): readonly MapEntry[] {
  return entriesOf(references.find(root, "components", "securitySchemes"));
}

/** What `server.authentication.hmac` asks for besides all else, where it is on; no scheme can be called that. */
function signingOf(gateway: PartReader): RequiredScheme | undefined {
  const block = gateway.block("server", "authentication", "hmac");
  if (block === undefined || block.isOff) return undefined;
  return { name: "server.authentication.hmac", nameSpan: block.keySpan, scopes: [] };
}

function signedScheme(
  signing: RequiredScheme | undefined,
  block: WrittenBlock | undefined,
): readonly SecurityScheme[] {
  if (signing === undefined) return [];
  const settings = findObject(block?.fields, "hmac");
  return [
    {
      ...signing,
      node: undefined,
      kind: "signature",
      apiKey: undefined,
      settings,
      isOff: false,
      sources: sourcesOf(undefined, settings),
      verification: "own",
    },
  ];
}

function schemeOf(
  { key, keySpan, value }: MapEntry,
  api: ApiDocument,
  block: WrittenBlock | undefined,
): SecurityScheme {
  const node = api.references.resolve(value);
  const kind = kindOf(node);
  const settings = findObject(block?.fields, "securitySchemes", key);
  const isKey = findText(node, "type") === "apiKey";
  const apiKey = isKey ? { in: findText(node, "in"), name: findText(node, "name") } : undefined;
  return {
    name: key,
    nameSpan: keySpan,
    node,
    kind,
    apiKey,
    settings,
    isOff: isSwitchedOff(findNode(block?.node, "securitySchemes", key)),
    sources: sourcesOf(apiKey, settings),
    verification: verificationOf(kind, settings),
  };
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

/** As the scheme describes it, and as the part of the gateway adds to that or takes it back. */
function sourcesOf(
  apiKey: SecurityScheme["apiKey"],
  settings: ObjectField | undefined,
): readonly CredentialSource[] {
  const described = apiKey === undefined ? "header" : apiKey.in;
  return (["header", "query", "cookie"] as const).flatMap((place) => {
    const own = place === described ? (apiKey === undefined ? "Authorization" : apiKey.name) : undefined;
    const block = findObject(settings, place);
    if (block === undefined ? place !== described : !mayBeEnabled(block)) return [];
    const written = findField(block, "name");
    const name = written?.kind === "Literal" ? String(written.value) : (own ?? (block && "Authorization"));
    return [{ place, name: name ?? "" }];
  });
}

function verificationOf(
  kind: SchemeKind | undefined,
  settings: ObjectField | undefined,
): SecurityScheme["verification"] {
  const has = (name: string) => findField(settings, name) !== undefined;
  if (kind !== "jwt" && has("introspection")) return "introspection";
  return has("source") || has("jwksURIs") ? "keys" : "own";
}

/** Whether a block may apply once the gateway starts: only a written `enabled: false` switches it off for good. */
function mayBeEnabled(block: ObjectField): boolean {
  const enabled = findField(block, "enabled");
  return !(enabled?.kind === "Literal" && enabled.value === false);
}

function isSwitchedOff(node: DocumentNode | undefined): boolean {
  return booleanOf(findNode(node, "enabled")) === false;
}

/**
 * What requests have to satisfy where the gateway asks. In `legacy` mode only the first requirement of each list counts.
 * Without `security` every scheme that is configured has to let a request in. Where the document itself asks for nothing
 * and some operations do, requests that are for no operation have to satisfy what one of those asks for: an API that is
 * protected at some places is open only where it says so.
 */
function securityOf(
  api: DeclaredApi,
  block: WrittenBlock | undefined,
  configured: readonly MapEntry[],
  signing: RequiredScheme | undefined,
): ApiSecurity {
  const mode = findText(block?.node, "securityProcessingMode");
  const counting = mode === "legacy" ? 1 : Number.POSITIVE_INFINITY;
  const own = requirementsOf(api.root) ?? configuredRequirement(configured);
  const all = api.paths.flatMap((path) => operationsOf(path, api));
  const counted = all.map((each) => ({ ...each, requirements: each.requirements.slice(0, counting) }));
  const ofOperations = counted.flatMap(({ requirements }) => requirements);
  const first =
    own.length > 0 ? own.slice(0, counting) : ofOperations.filter(({ schemes }) => schemes.length > 0);
  const general = generalWithSigning(first, signing);
  const operations = counted.map((each) => ({
    ...each,
    requirements: withSigning(each.requirements, signing),
  }));
  return {
    general,
    operations,
    inheriting: operationsBeside(operations, api),
    ignored: [own, ...all.map(({ requirements }) => requirements)].flatMap((list) => list.slice(counting)),
    asked: askedSchemes([general, ...operations.map(({ requirements }) => requirements)].flat()),
  };
}

function askedSchemes(requirements: readonly SecurityRequirement[]): readonly RequiredScheme[] {
  const named = requirements.flatMap(({ schemes }) => schemes);
  const placeOf = ({ nameSpan: { source, start } }: RequiredScheme) =>
    `${source.offsetInFile(start)} ${source.file.path}`;
  return [...new Map(named.map((scheme) => [placeOf(scheme), scheme])).values()];
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
function withSigning(
  requirements: readonly SecurityRequirement[],
  signing: RequiredScheme | undefined,
): readonly SecurityRequirement[] {
  if (signing === undefined) return requirements;
  return requirements.map(({ span, schemes }) => ({ span, schemes: [...schemes, signing] }));
}

function generalWithSigning(
  general: readonly SecurityRequirement[],
  signing: RequiredScheme | undefined,
): readonly SecurityRequirement[] {
  if (signing === undefined || general.length > 0) return withSigning(general, signing);
  return [{ span: signing.nameSpan, schemes: [signing] }];
}

function operationsOf(declared: DeclaredPath, api: DeclaredApi): readonly OperationRequirements[] {
  return [...declared.operations().values()].flatMap((operation) => {
    const { verb, verbSpan } = operation;
    const requirements = operation.security();
    if (requirements === undefined) return [];
    return pathsBelow(declared.path, api).map((path) => ({ path, verb, verbSpan, requirements }));
  });
}

function configuredRequirement(configured: readonly MapEntry[]): readonly SecurityRequirement[] {
  const schemes = configured.flatMap(({ key, keySpan, value }) => {
    return isSwitchedOff(value) ? [] : [{ name: key, nameSpan: keySpan, scopes: [] }];
  });
  const [first] = schemes;
  return first === undefined ? [] : [{ span: first.nameSpan, schemes }];
}
