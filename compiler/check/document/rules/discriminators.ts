// Rules about discriminators: the property that decides between schemas, and the schemas that its values are mapped to.

import type { Report } from "../../../diagnostics/sink.ts";
import { nearest, suggest } from "../../../diagnostics/suggest.ts";
import type { ApiModel } from "../../../model/api.ts";
import { type Composition, type Discriminator, SchemaModel } from "../../../model/schema-model.ts";
import { type DocumentNode, findText, type MapNode } from "../../../trees/document.ts";

/** Reports a discriminator whose property or mapping fits no schema. */
export function checkDiscriminator(node: MapNode, api: ApiModel, report: Report): void {
  const schema = new SchemaModel(node);
  const { discriminator } = schema;
  if (discriminator === undefined) return;
  const { keyword: choices, schemas: variants = [] } = schema.variants ?? {};
  const targets = new Set(variants.flatMap((variant) => leavesOf(variant, api)));
  // A reference without a target is reported, and may have been any schema.
  const isResolved = variants.every((variant) => api.references.resolve(variant) !== undefined);
  checkDiscriminatorProperty(schema, discriminator, api, report);
  if (discriminator.mapping.length === 0) return;
  const schemas = new Map(api.namedSchemas.map(({ key, value }) => [key, value]));
  const names = new Set(schemas.keys());
  for (const { key, keySpan, value } of discriminator.mapping) {
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
    const named = schemas.get(name);
    const meant = named && api.references.resolve(named);
    if (meant === undefined) continue;
    // A schema that its variants include by `allOf` does not list them.
    if (choices !== undefined && isResolved && !targets.has(meant)) {
      report("GW4095", value.span, { fault: "no variant", target, choices, closest: undefined });
      continue;
    }
    const property = discriminator.propertyName?.text;
    const values = property === undefined ? [] : valuesOf(meant, property, api);
    if (property !== undefined && values.length > 0 && !values.includes(key)) {
      const closest = values.length === 1 ? values[0] : suggest(key, values);
      report("GW4095", keySpan, { fault: "no value", target: name, value: key, property, closest });
    }
  }
}

/** Reports a discriminator without a property, and one whose property a variant does not declare. */
function checkDiscriminatorProperty(
  schema: SchemaModel,
  discriminator: Discriminator,
  api: ApiModel,
  report: Report,
): void {
  const { text: property, span } = discriminator.propertyName ?? {};
  if (property === undefined || span === undefined) {
    // The schema of OpenAPI 3.0 requires the property.
    if (api.openapi !== "3.0") reportMissingProperty(discriminator, report);
    return;
  }
  const { keyword: choices, schemas: variants = [] } = schema.variants ?? {};
  const own = schema.node && propertiesOf(schema.node, api, ["allOf"]);
  if (own?.has(property) === true) return;
  if (own === undefined && schema.parts("allOf").length > 0) return;
  const declared = choices === undefined ? [own] : variants.map((variant) => propertiesOf(variant, api));
  const lacking = declared.findIndex((names) => names?.has(property) === false);
  if (lacking === -1) return;
  const isAny = declared.some((names) => names?.has(property) !== false);
  const known = declared.flatMap((names) => [...(names ?? [])]);
  const variant = variants[lacking];
  report(
    "GW4095",
    span,
    {
      fault: isAny ? "lacking" : "no property",
      target: property,
      choices,
      closest: isAny ? undefined : suggest(property, known),
    },
    isAny && variant !== undefined ? { span: variant.span, message: "This one does not." } : undefined,
  );
}

function reportMissingProperty({ node, keySpan }: Discriminator, report: Report): void {
  const owner = "`discriminator`";
  const field = "propertyName";
  const misspelt = node.entries.find(({ key }) => nearest(key, [field]).closest === field);
  if (misspelt !== undefined)
    report("GW1044", misspelt.keySpan, {
      owner,
      field: misspelt.key,
      closest: field,
      respelling: "unsure",
    });
  else report("GW1043", keySpan, { owner, field });
}

const compositions: readonly Composition[] = ["allOf", "anyOf", "oneOf"];

/** The properties of schemas that were read before; of one that is being read, they are not certain. */
type Known = Map<DocumentNode, ReadonlySet<string> | undefined>;

/** Returns the properties that a schema declares, with the schemas in it; `undefined` if that is not certain. */
export function propertiesOf(
  node: DocumentNode,
  api: ApiModel,
  followed = compositions,
  known: Known = new Map(),
): ReadonlySet<string> | undefined {
  const target = api.references.resolve(node);
  if (target?.kind !== "map") return undefined;
  if (known.has(target)) return known.get(target);
  known.set(target, undefined);
  const schema = new SchemaModel(target);
  if (schema.isConditional) return undefined;
  const parts = followed.flatMap((keyword) => schema.parts(keyword));
  if (!schema.hasProperties && parts.length === 0) return undefined;
  const found = new Set(schema.properties.map(({ key }) => key));
  for (const name of schema.required) found.add(findText(name) ?? "");
  for (const part of parts) {
    const declared = propertiesOf(part, api, compositions, known);
    if (declared === undefined) return undefined;
    for (const name of declared) found.add(name);
  }
  known.set(target, found);
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
      if (keyword !== "allOf" || schema === next) pending.push(...new SchemaModel(schema).parts(keyword));
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
  const own = new SchemaModel(at).property(property);
  const declared = new SchemaModel(own && references.resolve(own));
  if (declared.only !== undefined) return [declared.only];
  const listed = declared.choices.map((item) => findText(item));
  if (listed.length > 0) return listed.every((value) => value !== undefined) ? listed : [];
  const within = new Set([...known, at]);
  const parts = new SchemaModel(at).parts("allOf").map((part) => valuesOf(part, property, api, within));
  // The narrowest one counts: a variant fixes the value of a property that its base lists.
  return parts.filter(({ length }) => length > 0).sort((a, b) => a.length - b.length)[0] ?? [];
}

/** Returns the name of the component that a mapping refers to; `undefined` for any other place or a file. */
function schemaNameIn(target: string): string | undefined {
  const [, name] = /^(?:#\/components\/schemas\/)?([\w-]+)$/.exec(target) ?? [];
  return name;
}
