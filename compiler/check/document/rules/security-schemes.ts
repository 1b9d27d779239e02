// Security schemes that are named but not described: callers would be let in, or kept out, by surprise.

import type { Report } from "../../../diagnostics/sink.ts";
import { suggest } from "../../../diagnostics/suggest.ts";
import { configuredSchemes, schemeEntries } from "../../../model/security.ts";
import type { ApiDocument } from "../../../trees/api.ts";
import { requiredSchemes } from "../security.ts";

/** Reports each name in `security` and in the gateway part that `components` does not have. */
export function checkSecuritySchemes(api: ApiDocument, report: Report): void {
  if (api.openapi === undefined) return;
  const known = schemeEntries(api).map(({ key }) => key);
  const named = [
    ...requiredSchemes(api).filter(({ key }) => !isAddress(api, key)),
    ...configuredSchemes(api),
  ];
  for (const { key, keySpan } of named) {
    if (!known.includes(key)) report("GW4071", keySpan, { scheme: key, closest: suggest(key, known) });
  }
}

/** OpenAPI 3.2 also takes the address of a scheme in place of its name. */
function isAddress({ openapi }: ApiDocument, name: string): boolean {
  return openapi === "3.2" && /[/#:]/.test(name);
}
