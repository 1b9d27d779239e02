// Reads the security schemes of a document, as its gateway part refines them.

import type { Span } from "../source/source.ts";
import type { ApiDocument, FieldNode, ObjectField } from "../trees/api.ts";
import { type DocumentNode, findNode, findText, type MapEntry } from "../trees/document.ts";
import { findField, findObject, literalText } from "../trees/fields.ts";
import type { RequiredScheme } from "./operations.ts";
import { entriesOf, isOff, type WrittenBlock } from "./written.ts";

/** The kinds of security schemes that a gateway enforces. A document that requires another kind does not compile. */
const enforcedKinds = [
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
  /** Its list of allowed certificates, and the method by which tokens are signed. */
  readonly allowList: FieldNode | undefined;
  readonly signingMethod: string | undefined;
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
  readonly authorizationUrl: DocumentNode | undefined;
  readonly tokenUrl: DocumentNode | undefined;
  readonly refreshUrl: DocumentNode | undefined;
  /** The scopes that clients may request, with their descriptions. */
  readonly scopes: DocumentNode | undefined;
}

/** A place in requests that may contain a credential. */
export interface CredentialSource {
  readonly place: "header" | "query" | "cookie";
  /** The name of the header, parameter or cookie; empty if it is written so. */
  readonly name: string;
}

/** Returns the entries of `components.securitySchemes`. */
export function schemeEntries({ root, references }: ApiDocument): readonly MapEntry[] {
  return entriesOf(references.find(root, "components", "securitySchemes"));
}

/** Returns the scheme of `server.authentication.hmac`, if it is required. */
export function signedScheme(
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
      ...settingsFields(settings),
      isOff: false,
      sources: sourcesOf(undefined, settings),
      verification: "own",
    },
  ];
}

/** Reads an entry of `components.securitySchemes`. `block`: `server.authentication`. */
export function schemeOf(
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
    ...settingsFields(settings),
    isOff: isOff(findNode(block?.node, "securitySchemes", key)),
    sources: sourcesOf(described.apiKey, settings),
    verification: verificationOf(kind, settings),
  };
}

function settingsFields(settings: ObjectField | undefined) {
  const allowList = findField(settings, "allowlist");
  return { settings, allowList, signingMethod: literalText(findField(settings, "signingMethod")) };
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
    authorizationUrl: findNode(value, "authorizationUrl"),
    tokenUrl: findNode(value, "tokenUrl"),
    refreshUrl: findNode(value, "refreshUrl"),
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
