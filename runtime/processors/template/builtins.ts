// The functions that every template has.

import { escapeUrlQuery } from "../../mapping/escapes.ts";
import { Timestamp } from "../../message/value.ts";
import { unicodePattern } from "../../text/memo.ts";
import { bytewise, compareUtf8 } from "../../text/utf8.ts";
import { spend, spendOnText } from "../jq/run.ts";
import { lazyAnd, lazyOr } from "./compile.ts";
import { areEqual } from "./equality.ts";
import { printed, printedAs, printedTogether } from "./print.ts";
import {
  Complex,
  Dict,
  Float,
  failure,
  Int,
  int,
  isTrue,
  itemsOf,
  kindName,
  lengthOf,
  type TemplateFunction,
  type TemplateValue,
  typeName,
} from "./values.ts";

const entities: ReadonlyMap<string, string> = /* @__PURE__ */ new Map([
  ["\0", "\ufffd"],
  ['"', "&#34;"],
  ["'", "&#39;"],
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
]);

function html(...values: readonly TemplateValue[]): string {
  return escapedBy(escapable(values), /[\0"'&<>]/g, (found) => entities.get(found) ?? found);
}

function escapedBy(text: string, pattern: RegExp, written: (found: string) => string): string {
  spendOnText(text);
  return text.replace(pattern, written);
}

/** Without a value, the text is `<no value>`. */
function escapable(values: readonly TemplateValue[]): string {
  return printedTogether(values.map((value) => value ?? "<no value>"));
}

const unprintable = /* @__PURE__ */ unicodePattern("[^\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}]", "u");

function js(...values: readonly TemplateValue[]): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are replaced
  return escapedBy(escapable(values), /[\\'"<>&=\0-\x1f]|[^\0-\x7f]/gu, (found) => {
    if (found === "\\" || found === "'" || found === '"') return `\\${found}`;
    const code = found.codePointAt(0) ?? 0;
    if (code > 0x7f && !unprintable().test(found)) return found;
    return `\\u${code.toString(16).toUpperCase().padStart(4, "0")}`;
  });
}

function urlquery(...values: readonly TemplateValue[]): string {
  return escapeUrlQuery(escapable(values), "");
}

function index(target: TemplateValue, ...path: readonly TemplateValue[]): TemplateValue {
  if (target === undefined) throw failure("`index` of no value");
  let value: TemplateValue = target;
  for (const key of path) {
    if (value === null || value === undefined) throw failure("`index` of null");
    if (value instanceof Dict) {
      if (typeof key !== "string")
        throw failure(`a key has to be a text, not a value of type ${typeName(key)}`);
      value = value.has(key) ? value.get(key) : value.of === "string" ? "" : null;
      continue;
    }
    const items = typeof value === "string" ? undefined : itemsOf(value);
    const length = lengthOf(value);
    if (length === undefined || value instanceof Complex)
      throw failure(`a value of type ${typeName(value)} has no elements`);
    if (!(key instanceof Int))
      throw failure(`an index has to be an integer, not a value of type ${typeName(key)}`);
    if (key.value < 0n || key.value >= length) throw failure(`index out of range: ${key.value}`);
    value =
      items === undefined
        ? new Int("uint8", BigInt(bytewise(String(value)).charCodeAt(Number(key.value))))
        : items[Number(key.value)];
  }
  return value;
}

function len(value: TemplateValue): TemplateValue {
  const length = lengthOf(value);
  if (length === undefined) throw failure(`a value of type ${typeName(value)} has no length`);
  return int(length);
}

function not(value: TemplateValue): boolean {
  return !isTrue(value);
}

type Basic = "bool" | "int" | "float" | "string" | "complex" | undefined;

function basicKind(value: TemplateValue): Basic {
  if (typeof value === "boolean") return "bool";
  if (value instanceof Int) return "int";
  if (value instanceof Float) return "float";
  if (value instanceof Complex) return "complex";
  return kindName(value) === "string" ? "string" : undefined;
}

function eq(first: TemplateValue, ...others: readonly TemplateValue[]): boolean {
  if (others.length === 0) throw failure("missing argument for comparison");
  return others.some((other) => isSame(first, other));
}

function isSame(one: TemplateValue, other: TemplateValue): boolean {
  const kind = basicKind(one);
  const otherKind = basicKind(other);
  const isAbsent = one === undefined || other === undefined;
  if (kind !== otherKind) {
    if (!isAbsent)
      throw failure(`incompatible types for comparison: ${typeName(one)} and ${typeName(other)}`);
    return false;
  }
  if (one instanceof Int && other instanceof Int) return one.value === other.value;
  if (one instanceof Float && other instanceof Float) return one.value === other.value;
  if (kind === "string") {
    spend(String(one).length >> 6);
    return String(one) === String(other);
  }
  if (kind === "bool" || isAbsent) return one === other;
  if (one instanceof Complex && other instanceof Complex)
    return one.real === other.real && one.imaginary === other.imaginary;
  if (kindName(one) !== kindName(other))
    throw failure(`values of types ${typeName(one)} and ${typeName(other)} cannot be compared`);
  if (isNil(one) || isNil(other)) return isNil(one) === isNil(other);
  if (one instanceof Timestamp) return areEqual(one, other);
  if (itemsOf(other) !== undefined || other instanceof Dict)
    throw failure(`values of type ${typeName(other)} cannot be compared`);
  return one === other;
}

function isNil(value: TemplateValue): boolean {
  return value instanceof Object && "isNil" in value && value.isNil;
}

function ne(one: TemplateValue, other: TemplateValue): boolean {
  return !isSame(one, other);
}

/** Returns a negative number, zero or a positive number; NaN for numbers that have no order. */
function order(one: TemplateValue, other: TemplateValue): number {
  const kind = basicKind(one);
  const otherKind = basicKind(other);
  if (kind === undefined || otherKind === undefined) throw failure("invalid type for comparison");
  if (kind !== otherKind)
    throw failure(`incompatible types for comparison: ${typeName(one)} and ${typeName(other)}`);
  if (one instanceof Int && other instanceof Int)
    return one.value === other.value ? 0 : one.value < other.value ? -1 : 1;
  if (one instanceof Float && other instanceof Float)
    return one.value === other.value
      ? 0
      : one.value < other.value
        ? -1
        : one.value > other.value
          ? 1
          : Number.NaN;
  if (kind !== "string") throw failure("invalid type for comparison");
  return compareUtf8(String(one), String(other));
}

function lt(one: TemplateValue, other: TemplateValue): boolean {
  return order(one, other) < 0;
}

function le(one: TemplateValue, other: TemplateValue): boolean {
  return order(one, other) <= 0;
}

/** The negation of `le`, also for NaN, as in the reference engine. */
function gt(one: TemplateValue, other: TemplateValue): boolean {
  return !le(one, other);
}

function ge(one: TemplateValue, other: TemplateValue): boolean {
  return !lt(one, other);
}

function print(...values: readonly TemplateValue[]): string {
  return printedTogether(values);
}

function println(...values: readonly TemplateValue[]): string {
  return `${values.map(printed).join(" ")}\n`;
}

function printf(format: string, ...values: readonly TemplateValue[]): string {
  return printedAs(format, values);
}

function callFunction(): never {
  throw failure("`call` requires a function, and no value is one");
}

/** The functions by name. */
export const builtins: ReadonlyMap<string, TemplateFunction> = /* @__PURE__ */ new Map<
  string,
  TemplateFunction
>([
  ["and", lazyAnd],
  ["or", lazyOr],
  ["call", { takes: "value any...", call: callFunction }],
  ["html", { takes: "any...", call: html }],
  ["index", { takes: "value value...", call: index }],
  ["js", { takes: "any...", call: js }],
  ["len", { takes: "value", call: len }],
  ["not", { takes: "value", call: not }],
  ["print", { takes: "any...", call: print }],
  ["printf", { takes: "string any...", call: printf }],
  ["println", { takes: "any...", call: println }],
  ["urlquery", { takes: "any...", call: urlquery }],
  ["eq", { takes: "value value...", call: eq }],
  ["ne", { takes: "value value", call: ne }],
  ["lt", { takes: "value value", call: lt }],
  ["le", { takes: "value value", call: le }],
  ["gt", { takes: "value value", call: gt }],
  ["ge", { takes: "value value", call: ge }],
]);
