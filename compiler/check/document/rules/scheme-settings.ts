// Settings of security schemes: what belongs to another kind of scheme, and what a kind cannot do without.

import type { Report } from "../../../diagnostics/sink.ts";
import type { ApiDocument, FieldNode, ObjectField } from "../../../parse/document/api.ts";
import { type SchemeKind, type SecurityScheme, securitySchemes } from "../../../parse/document/security.ts";
import { findEntry, findNode, findText } from "../../../parse/document/tree.ts";
import { findField } from "../components.ts";
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

/** Reports settings that nothing reads, and those that are missing or would let in too many. */
export function checkSchemeSettings(api: ApiDocument, report: Report): void {
  for (const scheme of securitySchemes(api)) {
    reportUnread(scheme, report);
    if (scheme.kind === "jwt") checkKeys(scheme, report);
    if (scheme.kind === "oauth2" && keys.some((name) => has(scheme.settings, name)))
      checkKeys(scheme, report);
    if (scheme.kind === "openid-connect") checkIssuer(scheme, report);
    if (scheme.kind === "mutual-tls" && isOn(scheme)) {
      const list = settingOf(scheme.settings, "allowlist");
      // Without one, certificates are those of keys.
      if (list !== undefined && isEmpty(list)) report("GW4214", list.span, {});
    }
  }
  checkClientCertificates(api, report);
}

function reportUnread({ name, kind, settings }: SecurityScheme, report: Report): void {
  if (kind === undefined || settings === undefined) return;
  for (const field of settings.fields) {
    if (!settingsByKind[kind].includes(field.name))
      report("GW4210", field.nameSpan, { field: field.name, scheme: name });
  }
}

/** Schemes that nobody has set up are those of other gateways, or of keys alone. */
function isOn({ settings }: SecurityScheme): boolean {
  const enabled = settingOf(settings, "enabled");
  return enabled?.kind === "Literal" && enabled.value === true;
}

function checkKeys(scheme: SecurityScheme, report: Report): void {
  const { name, nameSpan, settings } = scheme;
  if (!isOn(scheme)) return;
  const method = settingOf(settings, "signingMethod");
  if (method === undefined) report("GW4211", nameSpan, { scheme: name });
  const isShared = method?.kind === "Literal" && /^(?:hmac|HS\d+)$/.test(String(method.value));
  if (!isShared) return;
  const [source, addresses] = [settingOf(settings, "source"), settingOf(settings, "jwksURIs")];
  const address = addresses ?? (source !== undefined && isAddress(source) ? source : undefined);
  if (address !== undefined) report("GW4212", address.span, { scheme: name });
  else if (source?.kind === "Literal")
    report("GW4081", source.span, { field: "source", variable: "TOKEN_SECRET" });
}

function isAddress(field: FieldNode): boolean {
  const [text = ""] = textWithHoles(field) ?? [];
  return /^https?:\/\//i.test(text) || /^https?:\/\//i.test(Buffer.from(text, "base64").toString("latin1"));
}

function checkIssuer(scheme: SecurityScheme, report: Report): void {
  const { name, nameSpan, node, settings } = scheme;
  const url = findNode(node, "openIdConnectUrl");
  if (!/^https?:\/\/[^/]/i.test(findText(url) ?? ""))
    report("GW4215", url?.span ?? nameSpan, { scheme: name });
  if (isOn(scheme) && isEmpty(settingOf(settings, "allowedAudiences")))
    report("GW4213", nameSpan, { scheme: name });
}

function checkClientCertificates({ gateway }: ApiDocument, report: Report): void {
  const block = findEntry(findNode(gateway, "server"), "clientCertificates");
  const enabled = findNode(block?.value, "enabled");
  const list = findNode(block?.value, "allowlist");
  const isListed = list !== undefined && !(list.kind === "list" && list.items.length === 0);
  if (block !== undefined && enabled?.kind === "scalar" && enabled.value === true && !isListed)
    report("GW4214", list?.span ?? block.keySpan, {});
}

function has(settings: ObjectField | undefined, name: string): boolean {
  return settingOf(settings, name) !== undefined;
}

function settingOf(settings: ObjectField | undefined, name: string): FieldNode | undefined {
  return findField(settings, name)?.value;
}

/** Whether nothing is listed; what a variable lists is seen when the gateway starts. */
function isEmpty(list: FieldNode | undefined): boolean {
  return list === undefined || (list.kind === "List" && list.items.length === 0);
}
