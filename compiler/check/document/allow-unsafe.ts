// `allow_unsafe` of a set: what it names, and what there is to name.

import { documentSchemas } from "../../../schemas/catalogue.ts";
import type { Schema } from "../../../schemas/schema.ts";
import type { SettingsModel } from "../../model/settings.ts";
import type { Span } from "../../source/source.ts";
import type { Dialect } from "../../trees/dialect.ts";

/** A name of `allow_unsafe` where it stands. */
export interface AllowedName {
  readonly name: string;
  readonly span: Span;
}

/** What `allow_unsafe` names. */
export function allowedNames({ allowed }: SettingsModel): readonly AllowedName[] {
  const field = allowed?.field;
  const items = field?.kind === "List" ? field.items : [];
  return items.flatMap((item) =>
    item.kind === "Literal" && typeof item.value === "string" ? [{ name: item.value, span: item.span }] : [],
  );
}

/** All that has to be allowed before it may be used: functions and methods of mappings, components, fields. */
export function unsafeNames({ builtins: known, components: catalogue }: Dialect): ReadonlySet<string> {
  const builtins = known.builtins.filter(({ capability }) => capability === "files");
  const components = catalogue.components.flatMap(({ name, schema }) => unsafeWithin(name, schema));
  const around = Object.entries(documentSchemas).flatMap(([name, schema]) => unsafeWithin(name, schema));
  return new Set([...builtins.map(({ name }) => name), ...components, ...around]);
}

/** What of a schema has to be allowed: itself under `name`, its fields, and values of its choices. */
export function unsafeWithin(name: string, schema: Schema): readonly string[] {
  const inside = Object.entries(schema.properties ?? {}).flatMap(([key, field]) => unsafeWithin(key, field));
  const values = Object.keys(schema["x-unsafe-values"] ?? {});
  return [...(schema["x-unsafe"] === undefined ? [] : [nameOf(name, schema)]), ...values, ...inside];
}

/** Its name; for one that runs programs, with the program that its schema has as an example. */
function nameOf(name: string, { properties, "x-unsafe-program": field }: Schema): string {
  return field === undefined ? name : programName(name, String(properties?.[field]?.examples?.[0] ?? ""));
}

/** What has to be allowed of a component that runs a program: `command:sed`. */
export function programName(component: string, program: string): string {
  return `${component}:${program}`;
}

/** Whether a name allows a component to run a program. */
export function isProgramName(name: string, { components: catalogue }: Dialect): boolean {
  const colon = name.indexOf(":");
  return catalogue.components.some(
    (component) =>
      component.schema["x-unsafe-program"] !== undefined &&
      component.name === name.slice(0, Math.max(colon, 0)) &&
      colon < name.length - 1,
  );
}
