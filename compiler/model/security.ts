// Reads who may call an API: the security schemes of its document, the requirements of the document and of its
// operations, and how the gateway part refines them.

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

/** The kinds of security schemes that a gateway enforces. A document that requires another kind does not compile. */
export const enforcedKinds = [
  "auth-token",
  "basic",
  "jwt",
  "oauth2",
  "openid-connect",
  "mutual-tls",
  "signature",
] as const;

/** A kind of security schemes, by how it is enforced. */
export type SchemeKind = (typeof enforcedKinds)[number];

/** An entry of `components.securitySchemes`. */
export interface SecurityScheme {
  readonly name: string;
  readonly nameSpan: Span;
  readonly description: string | undefined;
  /** `undefined` if the gateway cannot enforce it. */
  readonly kind: SchemeKind | undefined;
  /** The fields of `type: apiKey`. */
  readonly apiKey: { readonly in: string | undefined; readonly name: string | undefined } | undefined;
  /** The fields of `type: http`. */
  readonly http: HttpScheme | undefined;
  /** The flows of `type: oauth2`. */
  readonly flows: readonly OauthFlow[];
  /** The discovery document of `type: openIdConnect`. */
  readonly openIdConnectUrl: DocumentNode | undefined;
  /** Its entry in `server.authentication.securitySchemes`, read by its schema. */
  readonly settings: ObjectField | undefined;
  /** Whether that entry contains `enabled: false`. */
  readonly isOff: boolean;
  /** The places in a request where its credential may be. Incomplete for certificates and signatures. */
  readonly sources: readonly CredentialSource[];
  /**
   * How its tokens are verified: by a request to their issuer, with keys that the document names, or as tokens that the
   * gateway itself issues or knows the keys of.
   */
  readonly verification: "introspection" | "keys" | "own";
}

/** The fields of a scheme of `type: http`. */
export interface HttpScheme {
  /** `scheme` in lower case. */
  readonly scheme: string | undefined;
  /** `scheme` as written. */
  readonly written: DocumentNode | undefined;
  readonly bearerFormat: string | undefined;
}

/** An entry in the `flows` of an `oauth2` scheme. */
export interface OauthFlow {
  readonly name: string;
  readonly authorizationUrl: string | undefined;
  readonly tokenUrl: string | undefined;
  readonly refreshUrl: string | undefined;
  /** The scopes that clients may request, with their descriptions. */
  readonly scopes: DocumentNode | undefined;
}

/** A place in requests that may contain a credential. */
export interface CredentialSource {
  readonly place: "header" | "query" | "cookie";
  /** The name of the header, parameter or cookie; empty if it is written so. */
  readonly name: string;
}

/** The requirements of an operation, which replace the general ones. */
export interface OperationRequirements extends OperationPlace {
  readonly verbSpan: Span;
  readonly requirements: readonly SecurityRequirement[];
}

/** The conditions for requests to an API if the gateway authenticates them. */
export interface ApiSecurity {
  /** The alternatives for requests to other operations than `operations`. If empty, no credential is required. */
  readonly general: readonly SecurityRequirement[];
  readonly operations: readonly OperationRequirements[];
  /**
   * Operations without requirements of their own whose requests could be taken for those of one of `operations`:
   * `/rooms/new` next to `/rooms/{id}`.
   */
  readonly inheriting: readonly OperationPlace[];
  /** Requirements that are written but have no effect. */
  readonly ignored: readonly SecurityRequirement[];
  /** Each place that requires a scheme, once: operations may have the general requirements. */
  readonly asked: readonly RequiredScheme[];
}

/** How an API authenticates its callers. */
export interface ApiAuthentication {
  /** `server.authentication` */
  readonly block: WrittenBlock | undefined;
  /**
   * Whether the gateway authenticates callers: if `security` or the gateway part names a scheme, unless
   * `server.authentication.enabled` is false.
   */
  readonly isRequired: boolean;
  /** Whether every request needs a credential, except for operations that are open themselves. */
  readonly isRequiredOfAll: boolean;
  /**
   * If `isRequiredOfAll` is false, whether the document says so explicitly: `enabled: false`, `security: []`,
   * `security: [{}]`.
   */
  readonly isOpenInWriting: boolean;
  /** The names of `components.securitySchemes`. */
  readonly described: readonly MapEntry[];
  /** The entries of `server.authentication.securitySchemes`; none if `authentication` is off. */
  readonly configured: readonly MapEntry[];
  /** The described schemes, and the scheme of `server.authentication.hmac`. */
  readonly schemes: ReadonlyMap<string, SecurityScheme>;
  readonly security: ApiSecurity;
  /** `baseIdentityProvider` and `stripAuthorizationData`, if they are written. */
  readonly options: readonly WrittenValue[];
}

/** Resolves the authentication of an API. */
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

/** Whether `security` is written as a list of requirements. The caller knows that no credential is required. */
function isOpen(security: DocumentNode | undefined): boolean {
  return security?.kind === "list" && security.items.every(({ kind }) => kind === "map");
}

function schemeEntries({ root, references }: ApiDocument): readonly MapEntry[] {
  return entriesOf(references.find(root, "components", "securitySchemes"));
}

/** Returns the additional requirement of `server.authentication.hmac` if it is on. No scheme can have its name. */
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
      ...describedFields(undefined),
      kind: "signature",
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
  const described = describedFields(node, api);
  const kind = kindOf(findText(node, "type"), described);
  const settings = findObject(block?.fields, "securitySchemes", key);
  return {
    name: key,
    nameSpan: keySpan,
    ...described,
    kind,
    settings,
    isOff: isSwitchedOff(findNode(block?.node, "securitySchemes", key)),
    sources: sourcesOf(described.apiKey, settings),
    verification: verificationOf(kind, settings),
  };
}

/** The fields of a scheme that OpenAPI defines. */
type DescribedFields = Pick<SecurityScheme, "description" | "apiKey" | "http" | "flows" | "openIdConnectUrl">;

function describedFields(node: DocumentNode | undefined, api?: ApiDocument): DescribedFields {
  const type = findText(node, "type");
  const text = (name: string) => findText(node, name);
  return {
    description: text("description"),
    apiKey: type === "apiKey" ? { in: text("in"), name: text("name") } : undefined,
    http: type === "http" ? httpOf(node) : undefined,
    flows: entriesOf(api?.references.find(node, "flows")).map(flowOf),
    openIdConnectUrl: findNode(node, "openIdConnectUrl"),
  };
}

function httpOf(node: DocumentNode | undefined): HttpScheme {
  const written = findNode(node, "scheme");
  return { scheme: findText(written)?.toLowerCase(), written, bearerFormat: findText(node, "bearerFormat") };
}

function flowOf({ key: name, value }: MapEntry): OauthFlow {
  return {
    name,
    authorizationUrl: findText(value, "authorizationUrl"),
    tokenUrl: findText(value, "tokenUrl"),
    refreshUrl: findText(value, "refreshUrl"),
    scopes: findNode(value, "scopes"),
  };
}

function kindOf(type: string | undefined, { http }: DescribedFields): SchemeKind | undefined {
  if (http !== undefined) return httpKindOf(http);
  switch (type) {
    case "apiKey":
      return "auth-token";
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

/**
 * Returns the kind of an `http` scheme. Bearer tokens are keys unless declared JWTs. `signature`:
 * draft-cavage-http-signatures.
 */
function httpKindOf({ scheme, bearerFormat }: HttpScheme): SchemeKind | undefined {
  if (scheme === "basic") return "basic";
  if (scheme === "signature") return "signature";
  if (scheme !== "bearer") return undefined;
  return bearerFormat?.toLowerCase() === "jwt" ? "jwt" : "auth-token";
}

/** Returns the sources that the scheme describes, as the gateway part extends or reduces them. */
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

/** Whether a block may apply when the gateway starts: only a literal `enabled: false` switches it off permanently. */
function mayBeEnabled(block: ObjectField): boolean {
  const enabled = findField(block, "enabled");
  return !(enabled?.kind === "Literal" && enabled.value === false);
}

function isSwitchedOff(node: DocumentNode | undefined): boolean {
  return booleanOf(findNode(node, "enabled")) === false;
}

/**
 * Returns the requirements for requests if the gateway authenticates them. In `legacy` mode only the first requirement
 * of each list counts. Without `security`, every configured scheme has to accept a request. If only some operations
 * have requirements, requests for no operation have to satisfy those of one such operation: an API that is protected at
 * some places is open only at the places for which it says so.
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
 * Returns the requirements for requests for a path below the listen path. The path belongs to an operation if both have
 * the same segments, whatever the names of their parameters.
 */
export function requirementsAt(
  { general, operations }: ApiSecurity,
  verb: string,
  path: string,
): readonly SecurityRequirement[] {
  const own = byPlace(operations).get(`${verb} ${shapeOf(path)}`);
  return own?.requirements ?? general;
}

/** Operations of documents by verb and shape; the first of several counts. A document may have thousands. */
const knownPlaces = new WeakMap<
  readonly OperationRequirements[],
  ReadonlyMap<string, OperationRequirements>
>();

function byPlace(operations: readonly OperationRequirements[]): ReadonlyMap<string, OperationRequirements> {
  const places =
    knownPlaces.get(operations) ??
    new Map(operations.toReversed().map((each) => [`${each.verb} ${shapeOf(each.path)}`, each]));
  knownPlaces.set(operations, places);
  return places;
}

function shapeOf(path: string): string {
  return path.replace(/\{[^{}]*\}/g, "{}");
}

/** Adds the required signature to every requirement. Operations without requirements stay open. */
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
  return declared.securedOperations().flatMap((operation) => {
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
