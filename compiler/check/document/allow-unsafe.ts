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
  return [...(schema["x-unsafe"] === undefined ? [] : [name]), ...values, ...inside];
}
