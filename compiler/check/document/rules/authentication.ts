// What `security` asks for, where the gateway is to enforce it: what cannot be enforced would keep everybody out, or
// let anybody in.

import type { Report } from "../../../diagnostics/sink.ts";
import type { ApiModel } from "../../../model/api.ts";
import type { RequiredScheme } from "../../../model/operations.ts";
import type { OperationRequirements, SchemeKind, SecurityScheme } from "../../../model/security.ts";

/**
 * Reports each scheme that is asked for and cannot be enforced, authentication that asks for none, and a switch that
 * leaves unenforced what is asked for.
 */
export function checkAuthentication({ authentication }: ApiModel, report: Report): void {
  const { block, isRequired, security, schemes } = authentication;
  const { asked } = security;
  const state = block?.enabled === undefined ? undefined : block.stateSpan;
  if (!isRequired) {
    const names = [...new Set(asked.map(({ name }) => name))];
    if (names.length > 0 && state !== undefined) report("GW4270", state, { schemes: names });
    return;
  }
  if (asked.length === 0 && state !== undefined) report("GW4201", state, {});
  for (const required of asked) {
    const scheme = schemes.get(required.name);
    // One that is not described was reported as such.
    if (scheme !== undefined) checkScheme(required, scheme, report);
  }
  for (const { span } of security.ignored) report("GW4204", span, {});
  for (const operation of security.operations) checkPath(operation, report);
}

function checkScheme(
  { name, nameSpan, scopes }: RequiredScheme,
  { kind, isOff, sources, node }: SecurityScheme,
  report: Report,
): void {
  // Certificates come with the connection, and signatures of the whole API in a header of their own.
  const isFromNowhere = kind !== "mutual-tls" && node !== undefined && sources.length === 0;
  if (kind === undefined) report("GW4200", nameSpan, { scheme: name });
  else if (isOff) report("GW4202", nameSpan, { scheme: name });
  else if (scopes.length > 0 && hasNoScopes.has(kind)) report("GW4203", nameSpan, { scheme: name });
  else if (isFromNowhere) report("GW4205", nameSpan, { scheme: name });
}

/** Kinds whose credentials say nothing of scopes. */
const hasNoScopes: ReadonlySet<SchemeKind> = new Set(["auth-token", "basic", "mutual-tls"]);

/** Patterns like `/files/{name}.json` would take requests for other paths, or miss some of their own. */
function checkPath({ path, verbSpan }: OperationRequirements, report: Report): void {
  const isWhole = path.split("/").every((segment) => /^(?:[^{}]*|\{[^{}]+\})$/.test(segment));
  if (!isWhole) report("GW4206", verbSpan, { path });
}
