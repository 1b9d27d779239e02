// Security schemes that are named but not described: callers would be let in, or kept out, by surprise.

import type { Report } from "../../../diagnostics/sink.ts";
import { suggest } from "../../../diagnostics/suggest.ts";
import type { ApiModel } from "../../../model/api.ts";
import { type DeclaredPath, type RequiredScheme, requirementsOf } from "../../../model/operations.ts";
import { collectRoutes, findDeclared } from "../../../model/routes.ts";

/** Reports each name in `security` and in the gateway part that `components` does not have. */
export function checkSecuritySchemes(api: ApiModel, report: Report): void {
  if (api.openapi === undefined) return;
  const { described, configured } = api.authentication;
  const known = described.map(({ key }) => key);
  const named = [
    ...requiredSchemes(api).filter(({ name }) => !isAddress(api, name)),
    ...configured.map(({ key, keySpan }) => ({ name: key, nameSpan: keySpan })),
  ];
  for (const { name, nameSpan } of named) {
    if (!known.includes(name)) report("GW4071", nameSpan, { scheme: name, closest: suggest(name, known) });
  }
}

/** In documents longer than this, operations that no stream serves are not looked into, unless the gateway asks. */
const longText = 1_000_000;

/** Every name in the `security` of the document and of its operations. */
function requiredSchemes(api: ApiModel): readonly RequiredScheme[] {
  const operations = operationsToRead(api).flatMap((path) => [...path.operations().values()]);
  const lists = [requirementsOf(api.root), ...operations.map(({ security }) => security())];
  return lists.flatMap((list) => list ?? []).flatMap(({ schemes }) => schemes);
}

function operationsToRead(api: ApiModel): readonly DeclaredPath[] {
  if (api.file.text.length <= longText || api.authentication.isRequired) return api.paths;
  return [...new Set(collectRoutes(api).flatMap((route) => findDeclared(route) ?? []))];
}

/** OpenAPI 3.2 also takes the address of a scheme in place of its name. */
function isAddress({ openapi }: ApiModel, name: string): boolean {
  return openapi === "3.2" && /[/#:]/.test(name);
}
