// Determines where callers send credentials according to OpenAPI and AsyncAPI documents.

import { t } from "./messages.ts";
import { type Part, partOf, partsOf, resolvePart, textOf } from "./schemas.ts";

/** The location of a credential. */
export interface KeyPlace {
  /** `elsewhere` if it is not in a header, query or cookie, such as a certificate. */
  readonly place: "header" | "query" | "cookie" | "elsewhere";
  /** The name of the header, parameter or cookie. */
  readonly name: string;
  /** A description, such as `header X-Api-Key`. */
  readonly text: string;
  /** A sample value, with a placeholder for the secret. */
  readonly sample: string;
  readonly description: string;
}

/** Returns the locations for the schemes in OpenAPI security requirements, each once. */
export function keyPlacesOf(root: Part, requirements: unknown): readonly KeyPlace[] {
  const schemes = partOf(partOf(root.components).securitySchemes);
  const names = partsOf(requirements).flatMap((each) => Object.keys(each));
  return [...new Set(names)]
    .filter((name) => Object.hasOwn(schemes, name))
    .map((name) => placeOf(resolvePart(root, schemes[name])));
}

/** Returns the locations for AsyncAPI security schemes, which are listed directly in operations and servers. */
export function channelKeyPlacesOf(root: Part, schemes: unknown): readonly KeyPlace[] {
  return partsOf(schemes).map((scheme) => placeOf(resolvePart(root, scheme)));
}

function placeOf(scheme: Part): KeyPlace {
  const { type, name = "", in: place, scheme: kind = "" } = scheme;
  const description = textOf(scheme.description);
  if ((type === "apiKey" || type === "httpApiKey") && isPlace(place)) {
    const text =
      place === "query" ? t("docs.queryParameter", { name: textOf(name) }) : `${place} ${textOf(name)}`;
    return { place, name: textOf(name), text, sample: "YOUR_KEY", description };
  }
  if (type === "http" || type === "oauth2" || type === "openIdConnect") {
    const isBasic = type === "http" && textOf(kind).toLowerCase() === "basic";
    const text = `header Authorization: ${isBasic ? "Basic user:password" : "Bearer token"}`;
    const sample = isBasic ? "Basic BASE64_OF_USER_AND_PASSWORD" : "Bearer YOUR_TOKEN";
    return { place: "header", name: "Authorization", text, sample, description };
  }
  const texts: Readonly<Record<string, string>> = {
    mutualTLS: t("docs.clientCertificate"),
    X509: t("docs.clientCertificate"),
    userPassword: t("docs.userPassword"),
  };
  const text = texts[textOf(type)] ?? textOf(type);
  return { place: "elsewhere", name: "", text, sample: "", description };
}

function isPlace(value: unknown): value is "header" | "query" | "cookie" {
  return value === "header" || value === "query" || value === "cookie";
}
