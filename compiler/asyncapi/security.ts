// Describes the authentication of callers as AsyncAPI security schemes.

import type { ApiModel } from "../model/api.ts";
import type { RequiredScheme, SecurityRequirement } from "../model/operations.ts";
import { requirementsAt } from "../model/security.ts";
import type { SecurityScheme } from "../model/security-schemes.ts";
import { findText, type Json, toJson } from "../trees/document.ts";
import { type AsyncApiOperation, createKeys, referTo, type SecurityDescription } from "./document.ts";

/** The credentials that the gateway requires from callers. */
export interface SecurityDescriptions {
  /** The schemes for `components`; empty if no credential is required. */
  readonly schemes: Readonly<Record<string, SecurityDescription>>;
  /** Returns the requirements of one operation; `path` is below the listen path. */
  of(path: string, verb: string): Pick<AsyncApiOperation, "security" | "description">;
}

/**
 * Describes only enforced schemes: schemes that a document defines but does not require are left out. `origin` is the
 * address of the gateway, which completes addresses without an origin: AsyncAPI accepts only absolute addresses.
 */
export function describeSecurity(api: ApiModel, origin: string | undefined): SecurityDescriptions {
  const { isRequired, security, schemes: known } = api.authentication;
  if (!isRequired) return { schemes: {}, of: () => ({}) };
  const claim = createKeys();
  const all = [...known.values()];
  const keys = new Map(all.map(({ name }) => [name, claim(name, "scheme")]));
  const names = new Set(security.required.map(({ name }) => name));
  const described = new Map(
    all.filter(({ name }) => names.has(name)).map((scheme) => [scheme.name, describeScheme(scheme, origin)]),
  );
  const hasScopes = ({ name, scopes }: RequiredScheme) =>
    scopes.length > 0 && typesWithScopes.has(described.get(name)?.type);
  const refer = (required: RequiredScheme) => {
    const { name, scopes } = required;
    return hasScopes(required)
      ? { ...described.get(name), scopes: [...scopes] }
      : referTo("components", "securitySchemes", keys.get(name) ?? name);
  };
  return {
    schemes: Object.fromEntries([...described].map(([name, scheme]) => [keys.get(name) ?? name, scheme])),
    of(path, verb) {
      const requirements = requirementsAt(security, verb, path);
      // An empty requirement admits every caller.
      if (requirements.length === 0 || requirements.some(({ schemes }) => schemes.length === 0)) return {};
      const referred = requirements.flatMap(({ schemes }) => schemes.map(refer));
      const distinct = new Map(referred.map((each) => [JSON.stringify(each), each]));
      // AsyncAPI can express neither that several schemes are needed together nor scopes of other types: a text does.
      const isSaid = requirements.every(
        ({ schemes }) =>
          schemes.length === 1 && schemes.every((each) => each.scopes.length === 0 || hasScopes(each)),
      );
      return {
        security: [...distinct.values()],
        ...(!isSaid && { description: describeWays(requirements, keys) }),
      };
    },
  };
}

/** Types of schemes that have scopes in AsyncAPI. */
const typesWithScopes: ReadonlySet<Json | undefined> = new Set(["oauth2", "openIdConnect"]);

/** Returns a text such as ``Requires `key` together with `token` (scope `orders:read`), or `certificate`.`` */
function describeWays(
  requirements: readonly SecurityRequirement[],
  keys: ReadonlyMap<string, string>,
): string {
  const ways = requirements.map(({ schemes }) =>
    schemes
      .map(({ name, scopes }) => {
        const words = scopes.map((scope) => `\`${scope}\``).join(", ");
        const key = `\`${keys.get(name) ?? name}\``;
        return scopes.length === 0 ? key : `${key} (${scopes.length === 1 ? "scope" : "scopes"} ${words})`;
      })
      .join(" together with "),
  );
  return `Requires ${ways.join(", or ")}.`;
}

function describeScheme(scheme: SecurityScheme, origin: string | undefined): SecurityDescription {
  const words = [scheme.description, describePlaces(scheme)].filter((text) => text !== undefined);
  const type = sentByName(scheme) ?? typeOf(scheme, origin);
  return { ...type, ...(words.length > 0 && { description: words.join(" ") }) };
}

/** Describes a credential in an unusual place for its kind by its name and place. */
function sentByName({ kind, apiKey, sources: [first] }: SecurityScheme): SecurityDescription | undefined {
  if (first === undefined || !(kind === "auth-token" || kind === "jwt")) return undefined;
  const isUsual = first.place === "header" && first.name.toLowerCase() === "authorization";
  if (isUsual && apiKey === undefined) return undefined;
  return { type: "httpApiKey", name: first.name, in: first.place };
}

/** Describes further places where the gateway looks for the credential. */
function describePlaces({ sources: [, ...others] }: SecurityScheme): string | undefined {
  if (others.length === 0) return undefined;
  const places = others.map(({ place, name }) => `the ${placeNames[place]} \`${name}\``);
  return `Also taken from ${places.join(" or ")}.`;
}

const placeNames = { header: "header", query: "query parameter", cookie: "cookie" } as const;

function typeOf(scheme: SecurityScheme, origin: string | undefined): SecurityDescription {
  const { kind, apiKey, http, openIdConnectUrl } = scheme;
  if (apiKey !== undefined) return { type: "httpApiKey", name: apiKey.name ?? "", in: apiKey.in ?? "header" };
  if (kind === "oauth2") {
    const flows = flowsOf(scheme, origin);
    // If the address of the token endpoint is not completely known, describe the credential only.
    return flows === undefined ? { type: "http", scheme: "bearer" } : { type: "oauth2", flows };
  }
  if (kind === "openid-connect")
    return { type: "openIdConnect", openIdConnectUrl: findText(openIdConnectUrl) ?? "" };
  if (kind === "mutual-tls") return { type: "X509" };
  const { scheme: name = "signature", bearerFormat } = http ?? {};
  return {
    type: "http",
    scheme: name,
    ...(bearerFormat !== undefined && name === "bearer" && { bearerFormat }),
  };
}

const addressFields = ["authorizationUrl", "tokenUrl", "refreshUrl"] as const;

/** The flows that AsyncAPI has, too. */
const knownFlows = new Set(["authorizationCode", "clientCredentials", "implicit", "password"]);

/** `undefined` if an address is not completely known. */
function flowsOf({ flows }: SecurityScheme, origin: string | undefined): Json | undefined {
  const known = flows.filter(({ name }) => knownFlows.has(name));
  const addresses = known.flatMap((flow) => addressFields.flatMap((field) => findText(flow[field]) ?? []));
  if (!addresses.every((address) => URL.canParse(address, origin))) return undefined;
  return Object.fromEntries(
    known.map((flow) => {
      const urls = addressFields.flatMap((field) => {
        const address = findText(flow[field]);
        if (address === undefined) return [];
        return [[field, URL.canParse(address) ? address : new URL(address, origin).href]];
      });
      const availableScopes = flow.scopes === undefined ? {} : toJson(flow.scopes);
      return [flow.name, { ...Object.fromEntries(urls), availableScopes }];
    }),
  );
}
