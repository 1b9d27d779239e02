// What tests expect of messages, against the types that the messages have: names and values that no message comes with.

import { shownTypes } from "../../check/inference/demands.ts";
import type { Report } from "../../diagnostics/sink.ts";
import { nearest, suggest } from "../../diagnostics/suggest.ts";
import { type DocumentNode, findEntry, type MapEntry, type MapNode } from "../../trees/document.ts";
import { alternativesOf } from "../../value-types/alternatives.ts";
import { explainMismatch } from "../../value-types/assignable.ts";
import { typeOfValue } from "../../value-types/json-schema/read/literals.ts";
import { type MessageType, nullType, type ObjectType, type Type } from "../../value-types/type.ts";
import { unionOf } from "../../value-types/union.ts";
import { plainValue } from "./node-values.ts";

/** Reports what the conditions for one message expect and no message of `type` has. */
export function checkExpected(conditions: MapNode, { content, metadata }: MessageType, report: Report): void {
  for (const name of ["json_equals", "json_contains"]) {
    const expected = findEntry(conditions, name);
    // A text holds the JSON.
    if (expected === undefined || typeof plainValue(expected.value) === "string") continue;
    checkValue(expected, content, { isWhole: name === "json_equals", report });
  }
  const named = findEntry(conditions, "metadata_equals");
  for (const entry of named?.value.kind === "map" ? named.value.entries : []) {
    const { type } = metadata.known.get(entry.key) ?? {};
    if (type !== undefined) checkValue(entry, type, { isWhole: true, report });
    else reportUnknown(entry, "metadata_equals", [...metadata.known.keys()], metadata.others, report);
  }
}

interface Comparison {
  /** Whether fields that are not written are expected not to be there. */
  readonly isWhole: boolean;
  readonly report: Report;
}

function checkValue(entry: MapEntry, type: Type, comparison: Comparison): void {
  const { key, value } = entry;
  const options = alternativesOf(type).filter(({ kind }) => kind !== "Deleted" && kind !== "Nothing");
  if (options.length === 0 || options.some(({ kind }) => kind === "Unknown")) return;
  if (value.kind === "scalar") checkScalar(entry, type, comparison.report);
  if (value.kind === "list") {
    const items = options.flatMap((option) => (option.kind === "Array" ? [option.items] : []));
    if (items.length === 0) reportType(entry, type, "an array", comparison.report);
    for (const item of value.items)
      checkValue({ key, keySpan: item.span, value: item }, unionOf(items), comparison);
  }
  if (value.kind === "map") {
    const objects = options.flatMap((option) => (option.kind === "Object" ? [option] : []));
    if (objects.length === 0) reportType(entry, type, "an object", comparison.report);
    const wanted = nearestObject(value, objects);
    const known = [...new Set(objects.flatMap(({ fields }) => [...fields.keys()]))];
    if (wanted !== undefined) checkFields(entry, value, wanted, { ...comparison, known });
  }
}

/** The one that most of the value fits; nothing where it fits one. */
function nearestObject(value: DocumentNode, objects: readonly ObjectType[]): ObjectType | undefined {
  const found = typeOfValue(plainValue(value));
  const faults = objects.map((each) => explainMismatch(found, each).length);
  const least = Math.min(...faults);
  return least === 0 ? undefined : objects[faults.indexOf(least)];
}

function checkFields(
  { key, keySpan }: MapEntry,
  value: MapNode,
  { fields, rest }: ObjectType,
  comparison: Comparison & { readonly known: readonly string[] },
): void {
  const { isWhole, report, known } = comparison;
  let misspelt = 0;
  for (const entry of value.entries) {
    const field = fields.get(entry.key);
    if (field !== undefined)
      checkValue(entry, field.required ? field.type : unionOf([field.type, nullType]), comparison);
    else if (rest !== undefined) checkValue(entry, rest, comparison);
    else {
      misspelt++;
      reportUnknown(entry, key, known, false, report);
    }
  }
  const missing = [...fields].flatMap(([name, field]) =>
    field.required && findEntry(value, name) === undefined && !isAbsent(field.type) ? [name] : [],
  );
  if (isWhole && misspelt === 0 && missing.length > 0)
    report("GW4011", keySpan, { owner: key, fields: missing });
}

/** What is deleted, or may be, is not there. */
function isAbsent(type: Type): boolean {
  return alternativesOf(type).some(
    ({ kind }) => kind === "Deleted" || kind === "Nothing" || kind === "Unknown",
  );
}

function checkScalar(entry: MapEntry, type: Type, report: Report): void {
  const value = plainValue(entry.value);
  const [fault] = explainMismatch(typeOfValue(value), type);
  if (fault === undefined || !fault.certain) return;
  const allowed = alternativesOf(type).flatMap((each) =>
    each.kind === "String" && each.value !== undefined ? [each.value] : [],
  );
  if (fault.problem === "value" && typeof value === "string")
    report("GW4013", entry.value.span, { field: entry.key, value, allowed, ...nearest(value, allowed) });
  else reportType(entry, type, shownValue(value), report);
}

function shownValue(value: unknown): string {
  if (value === null) return "null";
  if (typeof value === "string") return `the string \`${value}\``;
  return typeof value === "boolean" ? `\`${value}\`` : `the number ${value}`;
}

function reportType({ key, value }: MapEntry, type: Type, found: string, report: Report): void {
  report("GW4012", value.span, { field: key, expected: shownTypes([type]), found, hint: undefined });
}

function reportUnknown(
  { key, keySpan }: MapEntry,
  owner: string,
  known: readonly string[],
  isOpen: boolean,
  report: Report,
): void {
  // Where there may be others, only what is nearly one of those that are known is no other.
  if (isOpen && suggest(key, known) === undefined) return;
  report("GW4010", keySpan, { owner, field: key, known, ...nearest(key, known) });
}
