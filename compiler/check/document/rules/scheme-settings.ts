// Rules about the settings of security schemes: settings that belong to another kind of scheme, and required settings.

import { createPublicKey, X509Certificate } from "node:crypto";
import type { Report } from "../../../diagnostics/sink.ts";
import type { ApiModel } from "../../../model/api.ts";
import type { SchemeKind, SecurityScheme } from "../../../model/security-schemes.ts";
import type { FieldNode, ObjectField } from "../../../trees/api.ts";
import { findText } from "../../../trees/document.ts";
import { findField, literalText } from "../../../trees/fields.ts";
import { textWithHoles } from "../written-text.ts";

const places = ["enabled", "header", "query", "cookie"];
const claims = [
  ...["allowedIssuers", "allowedAudiences", "allowedSubjects", "identityBaseField", "subjectClaims"],
  ...["expiresAtValidationSkew", "notBeforeValidationSkew", "issuedAtValidationSkew", "scopes", "skipKid"],
  ...["policyFieldName", "basePolicyClaims", "defaultPolicies"],
];
const keys = ["source", "jwksURIs"];

/** The settings that each kind reads. */
const settingsByKind: Readonly<Record<SchemeKind, readonly string[]>> = {
  "auth-token": places,
  basic: [...places, "disableCaching", "cacheTTL"],
  jwt: [...places, ...claims, ...keys, "signingMethod"],
  oauth2: [...places, ...claims, ...keys, "signingMethod", "introspection"],
  "openid-connect": [...places, ...claims, "signingMethod", "introspection"],
  "mutual-tls": ["enabled", "allowlist", "defaultPolicies"],
  signature: [
    ...["enabled", "header"],
    ...["allowedAlgorithms", "allowedClockSkew", "requiredHeaders", "refuseRepeats"],
  ],
};

/** Reports settings that nothing reads, and settings that are missing or would admit too many callers. */
export function checkSchemeSettings(api: ApiModel, report: Report): void {
  const required = api.authentication.isRequired
    ? api.authentication.security.required.map(({ name }) => name)
    : [];
  for (const scheme of [...api.authentication.schemes.values()]) {
    reportUnread(scheme, report);
    const isApplied = isOn(scheme, required);
    // Its settings are under an unknown name, which is reported elsewhere.
    const isMisnamed = scheme.settings === undefined && hasUnknownNames(api);
    if (isApplied && scheme.kind === "jwt" && !isMisnamed) checkKeys(scheme, report);
    if (isApplied && scheme.kind === "oauth2" && keys.some((name) => isSet(scheme.settings, name)))
      checkKeys(scheme, report);
    if (scheme.kind === "openid-connect") checkIssuer(scheme, isApplied, report);
    if (scheme.kind === "mutual-tls" && isApplied) {
      const list = settingOf(scheme.settings, "allowlist");
      // Without an allow list, the certificates of keys are accepted.
      if (list !== undefined && isEmpty(list)) report("GW4214", list.span, {});
      checkCertificates(list, report);
    }
  }
  checkClientCertificates(api, report);
  checkCertificates(api.blocks.certificateList?.field, report);
}

function hasUnknownNames({ authentication: { described, configured } }: ApiModel): boolean {
  return configured.some(({ key }) => !described.some((each) => each.key === key));
}

/** Reports an allowed certificate that cannot be read: the gateway would not start with it. */
function checkCertificates(list: FieldNode | undefined, report: Report): void {
  for (const item of list?.kind === "List" ? list.items : []) {
    const blocks =
      literalText(item)?.match(/-----BEGIN CERTIFICATE-----[^-]*(?:-----END CERTIFICATE-----)?/g) ?? [];
    if (blocks.some((block) => !isCertificate(block))) report("GW4386", item.span, {});
  }
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}

function reportUnread({ name, kind, settings }: SecurityScheme, report: Report): void {
  if (kind === undefined || settings === undefined) return;
  for (const field of settings.fields) {
    if (!settingsByKind[kind].includes(field.name))
      report("GW4210", field.nameSpan, { field: field.name, scheme: name });
  }
}

/** Whether a scheme is switched on, or required without an `enabled` field. */
function isOn({ name, settings }: SecurityScheme, required: readonly string[]): boolean {
  const enabled = settingOf(settings, "enabled");
  return enabled?.kind === "Literal" ? enabled.value === true : required.includes(name);
}

function checkKeys(scheme: SecurityScheme, report: Report): void {
  const { name, nameSpan, settings } = scheme;
  const method = settingOf(settings, "signingMethod");
  if (method === undefined) report("GW4211", nameSpan, { scheme: name });
  if (method !== undefined && method.kind !== "Literal") return;
  const isShared = /^(?:hmac|HS\d+)$/.test(String(method?.value));
  checkKey(scheme, isShared, report);
  if (!isShared) return;
  const [source, addresses] = [settingOf(settings, "source"), settingOf(settings, "jwksURIs")];
  const address =
    (isEmpty(addresses) ? undefined : addresses) ??
    (source !== undefined && isAddress(source) ? source : undefined);
  if (address !== undefined) report("GW4212", address.span, { scheme: name });
  else if (source?.kind === "Literal")
    report("GW4081", source.span, { field: "source", variable: "TOKEN_SECRET" });
}

/** Reports a literal key that cannot be read: the gateway would not start with it. */
function checkKey({ name, settings }: SecurityScheme, isShared: boolean, report: Report): void {
  const source = settingOf(settings, "source");
  const text = literalText(source);
  if (source === undefined || text === undefined || isAddress(source) || isSet(settings, "jwksURIs")) return;
  const reason = isShared ? whyNoSecret(text) : whyNoPublicKey(text);
  if (reason !== undefined) report("GW4385", source.span, { scheme: name, reason });
}

/** Minimum bytes of a shared secret: RFC 7518, section 3.2, for HS256. */
const shortestSecret = 32;

function whyNoSecret(text: string): string | undefined {
  const texts = [Buffer.from(text), ...decodedBase64(text)];
  if (texts.some((each) => each.includes("-----BEGIN "))) return "a PEM key is not a shared secret";
  const isLong = texts.some(({ length }) => length >= shortestSecret);
  return isLong ? undefined : `a shared secret must have at least ${shortestSecret} bytes`;
}

function whyNoPublicKey(text: string): string | undefined {
  const pem = text.includes("-----BEGIN ") ? text : decodedBase64(text)[0]?.toString("latin1");
  try {
    if (pem !== undefined && !pem.includes("PRIVATE KEY-----") && createPublicKey(pem)) return undefined;
  } catch {
    // The error message of the platform quotes the text.
  }
  return "expected a public key or a certificate in PEM";
}

/** Returns the decoded bytes; an empty list if the text is not Base64. */
function decodedBase64(text: string): readonly Buffer[] {
  const plain = text.replaceAll(/\s/g, "");
  const isBase64 = /^[A-Za-z0-9+/]+={0,2}$/.test(plain) && plain.length % 4 === 0;
  return isBase64 ? [Buffer.from(plain, "base64")] : [];
}

function isAddress(field: FieldNode): boolean {
  const [text = ""] = textWithHoles(field) ?? [];
  return /^https?:\/\//i.test(text) || /^https?:\/\//i.test(Buffer.from(text, "base64").toString("latin1"));
}

function checkIssuer(scheme: SecurityScheme, isApplied: boolean, report: Report): void {
  const { name, nameSpan, openIdConnectUrl: url, settings } = scheme;
  if (!/^https?:\/\/[^/]/i.test(findText(url) ?? ""))
    report("GW4215", url?.span ?? nameSpan, { scheme: name });
  // An empty list is reported elsewhere.
  if (isApplied && !has(settings, "allowedAudiences")) report("GW4213", nameSpan, { scheme: name });
}

function checkClientCertificates({ blocks }: ApiModel, report: Report): void {
  const { clientCertificates: block, certificateList } = blocks;
  const list = certificateList?.node;
  const isListed = list !== undefined && !(list.kind === "list" && list.items.length === 0);
  const isDecided = list !== undefined || block?.isStated === true;
  if (block !== undefined && !block.isOff && isDecided && !isListed)
    report("GW4214", list?.span ?? block.keySpan, {});
}

function has(settings: ObjectField | undefined, name: string): boolean {
  return settingOf(settings, name) !== undefined;
}

/** Whether a setting has a value: an empty list counts as absent. */
function isSet(settings: ObjectField | undefined, name: string): boolean {
  return !isEmpty(settingOf(settings, name));
}

function settingOf(settings: ObjectField | undefined, name: string): FieldNode | undefined {
  return findField(settings, name);
}

/** Whether the list is empty. A list from a variable is known only when the gateway starts. */
function isEmpty(list: FieldNode | undefined): boolean {
  return list === undefined || (list.kind === "List" && list.items.length === 0);
}
