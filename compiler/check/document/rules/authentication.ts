// What `security` asks for, where the gateway is to enforce it: what cannot be enforced would keep everybody out, or
// let anybody in.

import type { Report } from "../../../diagnostics/sink.ts";
import type { ApiDocument } from "../../../parse/document/api.ts";
import {
  type ApiSecurity,
  asksWhoCalls,
  enforcedKinds,
  type RequiredScheme,
  type SecurityScheme,
  securityOf,
  securitySchemes,
} from "../../../parse/document/security.ts";
import { findEntry, findNode } from "../../../parse/document/tree.ts";

/** Reports each scheme that is asked for and cannot be enforced, and authentication that asks for none. */
export function checkAuthentication(api: ApiDocument, report: Report): void {
  if (!asksWhoCalls(api)) return;
  const security = securityOf(api);
  const asked = askedSchemes(security);
  const enabled = findEntry(findNode(api.gateway, "server", "authentication"), "enabled");
  if (asked.length === 0 && enabled !== undefined) report("GW4201", enabled.value.span, {});
  const schemes = new Map(securitySchemes(api).map((scheme) => [scheme.name, scheme]));
  for (const required of asked) {
    const scheme = schemes.get(required.name);
    // One that is not described was reported as such.
    if (scheme !== undefined) checkScheme(required, scheme, report);
  }
}

/** Each place where one is named, once: general requirements may be those of operations. */
function askedSchemes({ general, operations }: ApiSecurity): readonly RequiredScheme[] {
  const lists = [general, ...operations.map(({ requirements }) => requirements)];
  const named = lists.flat().flatMap(({ schemes }) => schemes);
  return [...new Map(named.map((scheme) => [scheme.nameSpan.start, scheme])).values()];
}

function checkScheme({ name, nameSpan }: RequiredScheme, { kind }: SecurityScheme, report: Report): void {
  if (!enforcedKinds.some((each) => each === kind)) report("GW4200", nameSpan, { scheme: name });
}
