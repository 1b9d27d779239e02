// What `security` asks for, where the gateway is to enforce it: what cannot be enforced would keep everybody out, or
// let anybody in.

import type { Report } from "../../../diagnostics/sink.ts";
import {
  askedSchemes,
  asksWhoCalls,
  authenticationSwitch,
  configuredSchemes,
  enforcedKinds,
  type OperationRequirements,
  type RequiredScheme,
  type SecurityScheme,
  securityOf,
  securitySchemes,
} from "../../../model/security.ts";
import type { ApiDocument } from "../../../trees/api.ts";
import { type DocumentNode, findNode, findText } from "../../../trees/document.ts";

/**
 * Reports each scheme that is asked for and cannot be enforced, authentication that asks for none, and a switch that
 * leaves unenforced what is asked for.
 */
export function checkAuthentication(api: ApiDocument, report: Report): void {
  const security = securityOf(api);
  const asked = askedSchemes(security);
  const enabled = authenticationSwitch(api);
  if (!asksWhoCalls(api)) {
    const names = [...new Set(asked.map(({ name }) => name))];
    if (names.length > 0 && enabled !== undefined) report("GW4270", enabled.span, { schemes: names });
    return;
  }
  if (asked.length === 0 && enabled !== undefined) report("GW4201", enabled.span, {});
  const written = new Map(configuredSchemes(api).map(({ key, value }) => [key, value]));
  const schemes = new Map(securitySchemes(api).map((scheme) => [scheme.name, scheme]));
  for (const required of asked) {
    const scheme = schemes.get(required.name);
    // One that is not described was reported as such.
    if (scheme !== undefined) checkScheme(required, { ...scheme, written: written.get(scheme.name) }, report);
  }
  for (const { span } of security.ignored) report("GW4204", span, {});
  for (const operation of security.operations) checkPath(operation, report);
}

interface ConfiguredScheme extends SecurityScheme {
  /** Its entry in the part of the gateway. */
  readonly written: DocumentNode | undefined;
}

function checkScheme(required: RequiredScheme, scheme: ConfiguredScheme, report: Report): void {
  const { name, nameSpan, scopes } = required;
  if (!enforcedKinds.some((kind) => kind === scheme.kind)) report("GW4200", nameSpan, { scheme: name });
  else if (isSwitchedOff(scheme)) report("GW4202", nameSpan, { scheme: name });
  else if (scopes.length > 0 && hasNoScopes.has(scheme.kind)) report("GW4203", nameSpan, { scheme: name });
  else if (isFromNowhere(scheme)) report("GW4205", nameSpan, { scheme: name });
}

/** Kinds whose credentials say nothing of scopes. */
const hasNoScopes: ReadonlySet<SecurityScheme["kind"]> = new Set(["auth-token", "basic", "mutual-tls"]);

function isSwitchedOff({ written }: ConfiguredScheme): boolean {
  return isFalse(findNode(written, "enabled"));
}

/** Certificates come with the connection, everything else from one of these. */
function isFromNowhere({ node, kind, written }: ConfiguredScheme): boolean {
  if (kind === "mutual-tls") return false;
  const described = findText(node, "type") === "apiKey" ? findText(node, "in") : "header";
  return ["header", "query", "cookie"].every((place) => {
    const block = findNode(written, place);
    return block === undefined ? place !== described : isFalse(findNode(block, "enabled"));
  });
}

function isFalse(node: DocumentNode | undefined): boolean {
  return node?.kind === "scalar" && node.value === false;
}

/** Patterns like `/files/{name}.json` would take requests for other paths, or miss some of their own. */
function checkPath({ path, verbSpan }: OperationRequirements, report: Report): void {
  const isWhole = path.split("/").every((segment) => /^(?:[^{}]*|\{[^{}]+\})$/.test(segment));
  if (!isWhole) report("GW4206", verbSpan, { path });
}
