// Keywords that OpenAPI adds to JSON Schema: what they say is read, in the version of the document.

import type { Report } from "../../../diagnostics/sink.ts";
import { suggest } from "../../../diagnostics/suggest.ts";
import type { ApiModel } from "../../../model/api.ts";
import { entriesOf } from "../../../model/written.ts";
import { findEntry, findNode, findText, type MapNode } from "../../../trees/document.ts";

/** The keywords that are checked, for a look at a text before its schemas are walked. */
export const openapiKeywords: readonly string[] = ["nullable", "discriminator"];

/** Reports keywords of OpenAPI in one schema, not in those within it, that say nothing. */
export function checkOpenapiKeywords(schema: MapNode, api: ApiModel, report: Report): void {
  if (api.openapi === "3.1" || api.openapi === "3.2") checkNullable(schema, api.openapi, report);
  // A mapping in another file means the schemas of that file.
  if (api.openapi !== undefined && schema.span.source.file === api.root.span.source.file)
    checkDiscriminator(schema, api, report);
}

/** Version 3.1 took `nullable` out for a list of types. */
function checkNullable(schema: MapNode, version: string, report: Report): void {
  const nullable = findEntry(schema, "nullable");
  if (nullable?.value.kind !== "scalar" || nullable.value.value !== true) return;
  const type = findNode(schema, "type");
  const types = (type?.kind === "list" ? type.items : [type]).flatMap((each) => findText(each) ?? []);
  if (!types.includes("null")) report("GW4094", nullable.keySpan, { version, types });
}

function checkDiscriminator(schema: MapNode, api: ApiModel, report: Report): void {
  for (const { value } of entriesOf(findNode(schema, "discriminator", "mapping"))) {
    const target = findText(value);
    if (target === undefined) continue;
    const names = entriesOf(api.references.find(api.root, "components", "schemas")).map(({ key }) => key);
    const name = schemaNameIn(target);
    if (name === undefined || names.includes(name)) continue;
    const closest = suggest(name, names);
    const written = closest === undefined ? undefined : target.replace(name, () => closest);
    report("GW4095", value.span, { target, closest: written });
  }
}

/** The name of the component that a mapping leads to; `undefined` for another place, and for a file. */
function schemaNameIn(target: string): string | undefined {
  const [, name] = /^(?:#\/components\/schemas\/)?([\w-]+)$/.exec(target) ?? [];
  return name;
}
