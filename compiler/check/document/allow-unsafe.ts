// `allow_unsafe` of a set: the names that it lists, and the names that exist.

import { documentSchemas } from "../../../schemas/catalogue.ts";
import type { Schema } from "../../../schemas/schema.ts";
import type { SettingsModel } from "../../model/settings.ts";
import type { Span } from "../../source/source.ts";
import type { Dialect } from "../../trees/dialect.ts";

/** A name of `allow_unsafe` with its source range. */
export interface AllowedName {
  readonly name: string;
  readonly span: Span;
}

/** Returns the names that `allow_unsafe` lists. */
export function allowedNames({ allowed }: SettingsModel): readonly AllowedName[] {
  const field = allowed?.field;
  const items = field?.kind === "List" ? field.items : [];
  return items.flatMap((item) =>
    item.kind === "Literal" && typeof item.value === "string" ? [{ name: item.value, span: item.span }] : [],
  );
}

/** Returns everything that must be allowed before use: functions and methods of mappings, components, fields. */
export function unsafeNames({ builtins: known, components: catalogue }: Dialect): ReadonlySet<string> {
  const builtins = known.builtins.filter(({ capability }) => capability === "files");
  const components = catalogue.components.flatMap(({ name, schema }) => unsafeWithin(name, schema));
  const around = Object.entries(documentSchemas).flatMap(([name, schema]) => unsafeWithin(name, schema));
  return new Set([...builtins.map(({ name }) => name), ...components, ...around]);
}

/** Returns the names in a schema that must be allowed: `name` itself, its fields, and values of its enumerations. */
export function unsafeWithin(name: string, schema: Schema): readonly string[] {
  const inside = Object.entries(schema.properties ?? {}).flatMap(([key, field]) => unsafeWithin(key, field));
  const values = Object.keys(schema["x-unsafe-values"] ?? {});
  return [...(schema["x-unsafe"] === undefined ? [] : [nameOf(name, schema)]), ...values, ...inside];
}

/** Returns `name`; for a component that runs programs, with the program that its schema has as an example. */
function nameOf(name: string, { properties, "x-unsafe-program": field }: Schema): string {
  return field === undefined ? name : programName(name, String(properties?.[field]?.examples?.[0] ?? ""));
}

/** Returns the name that must be allowed for a component that runs a program, such as `command:sed`. */
export function programName(component: string, program: string): string {
  return `${component}:${program}`;
}

/** Whether `name` allows a component to run a program. */
export function isProgramName(name: string, { components: catalogue }: Dialect): boolean {
  const colon = name.indexOf(":");
  return catalogue.components.some(
    (component) =>
      component.schema["x-unsafe-program"] !== undefined &&
      component.name === name.slice(0, Math.max(colon, 0)) &&
      colon < name.length - 1,
  );
}
