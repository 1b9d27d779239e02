// Rules about discriminators: the property that decides between schemas, and the schemas that its values are mapped to.

import type { Report } from "../../../diagnostics/sink.ts";
import { nearest, suggest } from "../../../diagnostics/suggest.ts";
import type { ApiModel } from "../../../model/api.ts";
import { choicesIn, requiredIn } from "../../../model/schema-keywords.ts";
import { entriesOf, itemsOf } from "../../../model/written.ts";
import { type DocumentNode, findEntry, findNode, findText, type MapNode } from "../../../trees/document.ts";

/** Reports a discriminator whose property or mapping fits no schema. */
export function checkDiscriminator(schema: MapNode, api: ApiModel, report: Report): void {
  const discriminator = findNode(schema, "discriminator");
  if (discriminator?.kind !== "map") return;
  const choices = ["oneOf", "anyOf"].find((keyword) => findNode(schema, keyword)?.kind === "list");
  const variants = choices === undefined ? [] : itemsOf(findNode(schema, choices));
  const targets = new Set(variants.flatMap((variant) => leavesOf(variant, api)));
  // A reference without a target is reported, and may have been any schema.
  const isResolved = variants.every((variant) => api.references.resolve(variant) !== undefined);
  checkDiscriminatorProperty(schema, discriminator, variants, choices, api, report);
  const mapping = findNode(discriminator, "mapping");
  if (mapping === undefined) return;
  const schemas = entriesOf(api.references.find(api.root, "components", "schemas"));
  const names = new Set(schemas.map(({ key }) => key));
  for (const { key, keySpan, value } of entriesOf(mapping)) {
    const target = findText(value);
    if (target === undefined) continue;
    const name = schemaNameIn(target);
    if (name === undefined) continue;
    if (!names.has(name)) {
      const closest = suggest(name, names);
      const written = closest === undefined ? undefined : target.replace(name, () => closest);
      report("GW4095", value.span, { fault: "no schema", target, closest: written });
      continue;
    }
    const meant = api.references.find(api.root, "components", "schemas", name);
    if (meant === undefined) continue;
    // A schema that its variants include by `allOf` does not list them.
    if (choices !== undefined && isResolved && !targets.has(meant)) {
      report("GW4095", value.span, { fault: "no variant", target, choices, closest: undefined });
      continue;
    }
    const property = findText(discriminator, "propertyName");
    const values = property === undefined ? [] : valuesOf(meant, property, api);
    if (property !== undefined && values.length > 0 && !values.includes(key)) {
      const closest = values.length === 1 ? values[0] : suggest(key, values);
      report("GW4095", keySpan, { fault: "no value", target: name, value: key, property, closest });
    }
  }
}

/** Reports a discriminator without a property, and one whose property a variant does not declare. */
function checkDiscriminatorProperty(
  schema: MapNode,
  discriminator: MapNode,
  variants: readonly DocumentNode[],
  choices: string | undefined,
  api: ApiModel,
  report: Report,
): void {
  const node = findNode(discriminator, "propertyName");
  const property = findText(node);
  if (node === undefined || property === undefined) {
    // The schema of OpenAPI 3.0 requires the property.
    if (api.openapi !== "3.0") reportMissingProperty(schema, discriminator, report);
    return;
  }
  const own = propertiesOf(schema, api, ["allOf"]);
  if (own?.has(property) === true) return;
  if (own === undefined && itemsOf(findNode(schema, "allOf")).length > 0) return;
  const declared = choices === undefined ? [own] : variants.map((variant) => propertiesOf(variant, api));
  const lacking = declared.findIndex((names) => names?.has(property) === false);
  if (lacking === -1) return;
  const isAny = declared.some((names) => names?.has(property) !== false);
  const known = declared.flatMap((names) => [...(names ?? [])]);
  const variant = variants[lacking];
  report(
    "GW4095",
    node.span,
    {
      fault: isAny ? "lacking" : "no property",
      target: property,
      choices,
      closest: isAny ? undefined : suggest(property, known),
    },
    isAny && variant !== undefined ? { span: variant.span, message: "This one does not." } : undefined,
  );
}

function reportMissingProperty(schema: MapNode, discriminator: MapNode, report: Report): void {
  const owner = "`discriminator`";
  const field = "propertyName";
  const misspelt = discriminator.entries.find(({ key }) => nearest(key, [field]).closest === field);
  if (misspelt !== undefined)
    report("GW1044", misspelt.keySpan, {
      owner,
      field: misspelt.key,
      closest: field,
      respelling: "unsure",
    });
  else report("GW1043", findEntry(schema, "discriminator")?.keySpan ?? discriminator.span, { owner, field });
}

/** Keywords that can declare properties in ways that are not followed here. */
const conditions = ["if", "dependentSchemas", "$dynamicRef", "$recursiveRef", "patternProperties"];

const compositions: readonly string[] = ["allOf", "anyOf", "oneOf"];

/** The properties of schemas that were read before; of one that is being read, they are not certain. */
type Known = Map<DocumentNode, ReadonlySet<string> | undefined>;

/** Returns the properties that a schema declares, with the schemas in it; `undefined` if that is not certain. */
export function propertiesOf(
  node: DocumentNode,
  api: ApiModel,
  followed = compositions,
  known: Known = new Map(),
): ReadonlySet<string> | undefined {
  const schema = api.references.resolve(node);
  if (schema?.kind !== "map") return undefined;
  if (known.has(schema)) return known.get(schema);
  known.set(schema, undefined);
  if (conditions.some((keyword) => findEntry(schema, keyword) !== undefined)) return undefined;
  const parts = followed.flatMap((keyword) => itemsOf(findNode(schema, keyword)));
  const properties = findNode(schema, "properties");
  if (properties === undefined && parts.length === 0) return undefined;
  const found = new Set(entriesOf(properties).map(({ key }) => key));
  for (const name of requiredIn(schema)) found.add(findText(name) ?? "");
  for (const part of parts) {
    const declared = propertiesOf(part, api, compositions, known);
    if (declared === undefined) return undefined;
    for (const name of declared) found.add(name);
  }
  known.set(schema, found);
  return found;
}

/** Returns the schemas that a variant consists of: itself, and those of its compositions. */
function leavesOf(variant: DocumentNode, { references }: ApiModel): readonly DocumentNode[] {
  const found = new Set<DocumentNode>();
  const pending = [variant];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const schema = references.resolve(next);
    if (schema === undefined || found.has(schema)) continue;
    found.add(schema);
    for (const keyword of compositions) {
      // A named schema extends those in its `allOf`; without a name it only adds to them.
      if (keyword !== "allOf" || schema === next) pending.push(...itemsOf(findNode(schema, keyword)));
    }
  }
  return [...found];
}

/** Returns the only values that a schema allows for one of its properties; empty if it allows others. */
function valuesOf(
  schema: DocumentNode,
  property: string,
  api: ApiModel,
  known: ReadonlySet<DocumentNode> = new Set(),
): readonly string[] {
  const { references } = api;
  const at = references.resolve(schema);
  if (at === undefined || known.has(at)) return [];
  const declared = references.find(at, "properties", property);
  const only = findText(declared, "const");
  if (only !== undefined) return [only];
  const listed = choicesIn(declared).map((item) => findText(item));
  if (listed.length > 0) return listed.every((value) => value !== undefined) ? listed : [];
  const within = new Set([...known, at]);
  const parts = itemsOf(findNode(at, "allOf")).map((part) => valuesOf(part, property, api, within));
  // The narrowest one counts: a variant fixes the value of a property that its base lists.
  return parts.filter(({ length }) => length > 0).sort((a, b) => a.length - b.length)[0] ?? [];
}

/** Returns the name of the component that a mapping refers to; `undefined` for any other place or a file. */
function schemaNameIn(target: string): string | undefined {
  const [, name] = /^(?:#\/components\/schemas\/)?([\w-]+)$/.exec(target) ?? [];
  return name;
}
