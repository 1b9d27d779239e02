// Where callers send what proves who they are, as OpenAPI and AsyncAPI documents say it.

import { t } from "./messages.ts";
import { type Part, partOf, partsOf, resolvePart, textOf } from "./schemas.ts";

/** A place that a credential is sent in. */
export interface KeyPlace {
  /** `elsewhere` where no header or query carries it, such as certificates. */
  readonly place: "header" | "query" | "cookie" | "elsewhere";
  /** Of the header, parameter or cookie. */
  readonly name: string;
  /** In words, such as `header X-Api-Key`. */
  readonly text: string;
  /** What is sent there, with a word in place of the secret. */
  readonly sample: string;
  readonly description: string;
}

/** The places of the schemes that OpenAPI requirements name, each once. */
export function keyPlacesOf(root: Part, requirements: unknown): readonly KeyPlace[] {
  const schemes = partOf(partOf(root.components).securitySchemes);
  const names = partsOf(requirements).flatMap((each) => Object.keys(each));
  return [...new Set(names)]
    .filter((name) => Object.hasOwn(schemes, name))
    .map((name) => placeOf(resolvePart(root, schemes[name])));
}

/** The places of AsyncAPI's security schemes, which stand where they are needed. */
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
