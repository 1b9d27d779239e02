// Replaces variables of the build environment in the fields that decide what is built (`x-fixed`), by the schema of a
// tree. The document check handles the references that remain.

import type { ComponentCatalogue } from "../../../schemas/catalogue.ts";
import type { Schema } from "../../../schemas/schema.ts";
import type { DocumentNode, MapEntry, ScalarNode } from "../../trees/document.ts";
import { alignText } from "../document/decoded-text.ts";
import { parseEnvironment } from "./environment.ts";

/** Variables of the environment by name. */
export type BuildEnvironment = Readonly<Record<string, string | undefined>>;

/** The dependencies of replacing variables. */
export interface BuildVariables {
  readonly components: ComponentCatalogue;
  /** Absent for documents that may not read the build environment. */
  readonly environment?: BuildEnvironment | undefined;
}

/** Returns the same node if nothing is replaced. The node keeps its kind; the schema decides the type of scalars. */
export function withBuildVariables<N extends DocumentNode>(
  node: N,
  schema: Schema,
  variables: BuildVariables,
): N {
  const { components, environment } = variables;
  if (environment === undefined) return node;
  // Maps become maps, lists become lists and scalars become scalars.
  return replaced(node, schema, components, environment) as N;
}

function replaced(
  node: DocumentNode,
  schema: Schema,
  components: ComponentCatalogue,
  environment: BuildEnvironment,
): DocumentNode {
  switch (node.kind) {
    case "scalar":
      return schema["x-fixed"] === true ? resolved(node, schema, environment) : node;
    case "list": {
      const shorthand = schema["x-shorthand"];
      const own = shorthand === undefined ? schema : schema.properties?.[shorthand];
      // A list of fixed texts is fixed itself.
      const fixed = own?.["x-fixed"] === true ? { "x-fixed": true } : {};
      const each = own?.items && { ...fixed, ...own.items };
      if (each === undefined) return node;
      const items = changed(node.items, (item) => replaced(item, each, components, environment));
      return items === node.items ? node : { ...node, items };
    }
    case "map": {
      const entries = changed(node.entries, (entry) => {
        const own = schemaBelow(entry, schema, components);
        const value = own === undefined ? entry.value : replaced(entry.value, own, components, environment);
        return value === entry.value ? entry : { ...entry, value };
      });
      return entries === node.entries ? node : { ...node, entries };
    }
  }
}

/** Returns the changed values; the same list if all stay the same, as in most documents. */
function changed<T>(list: readonly T[], change: (value: T) => T): readonly T[] {
  let result: T[] | undefined;
  for (const [index, value] of list.entries()) {
    const next = change(value);
    if (next !== value) result ??= list.slice(0, index);
    result?.push(next);
  }
  return result ?? list;
}

/** Returns the schema of the value below a key, or of the component if the schema expects one. */
export function schemaBelow(
  { key }: MapEntry,
  schema: Schema,
  components: ComponentCatalogue,
): Schema | undefined {
  const role = schema["x-component"];
  if (role !== undefined) {
    const found = components.find(role, key)?.schema;
    return found ?? (key === "processors" ? steps : undefined);
  }
  const { properties = {}, additionalProperties: rest } = schema;
  if (Object.hasOwn(properties, key)) return properties[key];
  return typeof rest === "object" ? rest : undefined;
}

/** `processors` next to an input or output. */
const steps: Schema = { type: "array", items: { type: "object", "x-component": "processor" } };

function resolved(node: ScalarNode, schema: Schema, environment: BuildEnvironment): ScalarNode {
  if (typeof node.value !== "string" || !node.value.includes("${")) return node;
  // Broken references are reported when the field is read.
  const parts = parseEnvironment(node.text, () => {});
  const pieces = parts.map((part) => {
    if (part.kind === "Text") return part.text;
    if (part.kind !== "Variable") return undefined;
    const value = Object.hasOwn(environment, part.name) ? environment[part.name] : undefined;
    // As at the start of a gateway, a default also replaces an empty value.
    return value === undefined || value === "" ? (part.fallback ?? value) : value;
  });
  if (pieces.includes(undefined) || parts.every(({ kind }) => kind === "Text")) return node;
  const value = pieces.join("");
  const { span } = node;
  const text = alignText(span.source, value, span.start, span.end);
  return { kind: "scalar", value: typed(value, schema), span, text };
}

/** Returns the text as a value of the field's type if it can be read as one. */
function typed(text: string, { type }: Schema): ScalarNode["value"] {
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  if (types.includes("string")) return text;
  const isInteger = types.includes("integer") && /^[+-]?\d{1,15}$/.test(text);
  const isNumber = types.includes("number") && text.trim() !== "" && Number.isFinite(Number(text));
  if (isInteger || isNumber) return Number(text);
  return types.includes("boolean") && /^(?:true|false)$/.test(text) ? text === "true" : text;
}
