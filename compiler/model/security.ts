// Reads who may call an API: the requirements of its document and of its operations, and how the gateway part refines
// them.

import type { Span } from "../source/source.ts";
import { type DocumentNode, findNode, findText, type MapEntry } from "../trees/document.ts";
import {
  type DeclaredApi,
  type DeclaredPath,
  type OperationPlace,
  pathsBelow,
  type RequiredScheme,
  requirementsOf,
  type SecurityRequirement,
} from "./operations.ts";
import { overlappingOperations } from "./overlapping-operations.ts";
import { type SecurityScheme, schemeEntries, schemeOf, signedScheme } from "./security-schemes.ts";
import {
  entriesOf,
  isOff,
  itemsOf,
  type PartReader,
  type WrittenBlock,
  type WrittenValue,
} from "./written.ts";

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
  readonly required: readonly RequiredScheme[];
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
  /** The policies that tokens of the configured schemes receive, by default or for their scopes. */
  readonly policies: readonly DocumentNode[];
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
  const isRequired = block?.enabled ?? security.required.length > 0;
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
    policies: block?.isOff === true ? [] : configured.flatMap(({ value }) => policiesIn(value)),
    schemes: new Map(schemes.map((scheme) => [scheme.name, scheme])),
    security,
    options: ["baseIdentityProvider", "stripAuthorizationData"].flatMap(
      (name) => gateway.value("server", "authentication", name) ?? [],
    ),
  };
}

function policiesIn(scheme: DocumentNode): readonly DocumentNode[] {
  const mapped = itemsOf(findNode(scheme, "scopes", "scopeToPolicyMapping"));
  return [
    ...itemsOf(findNode(scheme, "defaultPolicies")),
    ...mapped.flatMap((each) => findNode(each, "policyId") ?? []),
  ];
}

/** Whether `security` is written as a list of requirements. The caller knows that no credential is required. */
function isOpen(security: DocumentNode | undefined): boolean {
  return security?.kind === "list" && security.items.every(({ kind }) => kind === "map");
}

/** Returns the additional requirement of `server.authentication.hmac` if it is on. No scheme can have its name. */
function signingOf(gateway: PartReader): RequiredScheme | undefined {
  const block = gateway.block("server", "authentication", "hmac");
  if (block === undefined || block.isOff) return undefined;
  return { name: "server.authentication.hmac", nameSpan: block.keySpan, scopes: [] };
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
    inheriting: overlappingOperations(operations, api),
    ignored: [own, ...all.map(({ requirements }) => requirements)].flatMap((list) => list.slice(counting)),
    required: requiredSchemes([general, ...operations.map(({ requirements }) => requirements)].flat()),
  };
}

function requiredSchemes(requirements: readonly SecurityRequirement[]): readonly RequiredScheme[] {
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
    return isOff(value) ? [] : [{ name: key, nameSpan: keySpan, scopes: [] }];
  });
  const [first] = schemes;
  return first === undefined ? [] : [{ span: first.nameSpan, schemes }];
}
