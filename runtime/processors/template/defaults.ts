// Functions on any value: defaults, conditions, types and JSON.

import { float, isNumber } from "../../mapping/numeric.ts";
import { escapeHtmlCharacters, parseJsonText, printJson } from "../../message/json.ts";
import { printJsonIndented } from "../../message/json-print.ts";
import { isArray, isObject, SourceNumber, type Value } from "../../message/value.ts";
import { spendOnText } from "../jq/run.ts";
import { areEqual } from "./equality.ts";
import {
  Complex,
  failure,
  fromDocument,
  isTrue,
  kindName,
  type TemplateValue,
  toDocument,
  typeName,
} from "./values.ts";

export function defaultTo(fallback: TemplateValue, ...given: readonly TemplateValue[]): TemplateValue {
  return isTrue(given[0]) ? given[0] : fallback;
}

export function empty(value: TemplateValue): boolean {
  return !isTrue(value);
}

export function coalesce(...values: readonly TemplateValue[]): TemplateValue {
  return values.find(isTrue) ?? null;
}

export function all(...values: readonly TemplateValue[]): boolean {
  return values.every(isTrue);
}

export function any(...values: readonly TemplateValue[]): boolean {
  return values.some(isTrue);
}

export function ternary(yes: TemplateValue, no: TemplateValue, condition: boolean): TemplateValue {
  return condition ? yes : no;
}

export function fail(reason: string): never {
  throw failure(reason);
}

export function typeOf(value: TemplateValue): string {
  return typeName(value);
}

export function typeIs(type: string, value: TemplateValue): boolean {
  return type === typeName(value);
}

export function typeIsLike(type: string, value: TemplateValue): boolean {
  const own = typeName(value);
  return own === type || own === `*${type}`;
}

export function kindOf(value: TemplateValue): string {
  return kindName(value);
}

export function kindIs(kind: string, value: TemplateValue): boolean {
  return kind === kindName(value);
}

export function deepEqual(one: TemplateValue, other: TemplateValue): boolean {
  return areEqual(one, other);
}

export function fromJson(text: string): TemplateValue {
  const parsed = parseJsonText(text);
  return "value" in parsed ? valueOfJson(parsed.value) : null;
}

export function mustFromJson(text: string): TemplateValue {
  const parsed = parseJsonText(text);
  if ("reason" in parsed) throw failure(parsed.reason);
  return valueOfJson(parsed.value);
}

function valueOfJson(value: Value): TemplateValue {
  return fromDocument(withFloats(value), true);
}

/** Numbers of JSON are float64. */
function withFloats(value: Value): Value {
  if (isNumber(value))
    return float(Number(value instanceof SourceNumber ? value.toString() : value.valueOf()));
  if (isArray(value)) return value.map(withFloats);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withFloats(each)]));
}

export function toJson(value: TemplateValue): string {
  return escapeHtmlCharacters(json(value) ?? "");
}

export function mustToJson(value: TemplateValue): string {
  return escapeHtmlCharacters(needed(json(value)));
}

export function toPrettyJson(value: TemplateValue): string {
  return escapeHtmlCharacters(json(value, "  ") ?? "");
}

export function mustToPrettyJson(value: TemplateValue): string {
  return escapeHtmlCharacters(needed(json(value, "  ")));
}

export function toRawJson(value: TemplateValue): string {
  return needed(json(value));
}

function needed(text: string | undefined): string {
  if (text === undefined) throw failure("the value has no JSON form");
  return text;
}

/** Returns the JSON text; `undefined` if the value contains a number that has none. */
function json(value: TemplateValue, indent?: string): string | undefined {
  if (value instanceof Complex) return undefined;
  const document = toDocument(value, true);
  const text = indent === undefined ? printJson(document) : printJsonIndented(document, indent);
  spendOnText(text);
  return text === "" ? undefined : text;
}
