// Rules about `allow_unsafe`.

import type { Schema } from "../../../../schemas/schema.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import { nearest } from "../../../diagnostics/suggest.ts";
import { componentsOf } from "../../../model/components.ts";
import type { SetModel } from "../../../model/set.ts";
import type { ComponentNode } from "../../../trees/api.ts";
import { findField, literalText } from "../../../trees/fields.ts";
import { allowedNames, isProgramName, programName, unsafeNames } from "../allow-unsafe.ts";
import { type SchemedValue, valuesWithin } from "../values.ts";

/** Reports each name that needs no permission or does not exist. */
export function checkUnsafeNames({ process, dialect }: SetModel, report: Report): void {
  const allowed = allowedNames(process);
  if (allowed.length === 0) return;
  const names = unsafeNames(dialect);
  for (const { name, span } of allowed) {
    if (!names.has(name) && !isProgramName(name, dialect))
      report("GW4088", span, { name, ...nearest(name, [...names]) });
  }
}

/** Reports components and fields that a schema marks with `x-unsafe` and `allow_unsafe` does not name. */
export function checkUnsafeComponents(set: SetModel, report: Report): void {
  const allowed = new Set(allowedNames(set.process).map(({ name }) => name));
  for (const component of set.apis.flatMap(({ streams }) => streams.flatMap(componentsOf))) {
    checkUnsafe(wholeOf(component), allowed, report);
  }
}

/** Checks the same for one value: the whole, and each field in it. */
export function checkUnsafe(
  whole: SchemedValue | undefined,
  allowed: ReadonlySet<string>,
  report: Report,
): void {
  if (whole === undefined || !mentionsUnsafe(whole.schema)) return;
  for (const { name, nameSpan, value, schema } of valuesWithin(whole)) {
    const effect = schema["x-unsafe"];
    const needed = nameToAllow(name, value, schema);
    if (effect !== undefined && !allowed.has(needed)) report("GW4087", nameSpan, { name: needed, effect });
    const chosen = literalText(value) ?? "";
    const ofChoice = schema["x-unsafe-values"]?.[chosen];
    if (ofChoice !== undefined && !allowed.has(chosen)) {
      report("GW4087", value.span, { name: chosen, effect: ofChoice });
    }
  }
}

/** Whether a schema marks something within it. Few schemas do, and each component of a set is checked. */
function mentionsUnsafe(schema: Schema): boolean {
  const known = knownMentions.get(schema);
  if (known !== undefined) return known;
  // Added schemas are visited by the same loop, each once.
  const within = new Set([schema]);
  for (const { properties = {}, additionalProperties: rest, items } of within) {
    for (const inner of [...Object.values(properties), rest, items])
      if (typeof inner === "object") within.add(inner);
  }
  const found = [...within].some((each) => each["x-unsafe"] ?? each["x-unsafe-values"]);
  knownMentions.set(schema, found);
  return found;
}

const knownMentions = new WeakMap<Schema, boolean>();

/** Returns the name that `allow_unsafe` must contain, with the program if one is run. */
function nameToAllow(name: string, value: SchemedValue["value"], schema: SchemedValue["schema"]): string {
  const field = schema["x-unsafe-program"];
  return field === undefined ? name : programName(name, literalText(findField(value, field)) ?? "…");
}

function wholeOf({ name, nameSpan, config, descriptor }: ComponentNode): SchemedValue | undefined {
  const schema = descriptor?.schema;
  return schema && { name, nameSpan, value: config, schema };
}
