// Emits reads of `this`, `root`, locals and fields below them, as property reads if the names allow it.

import type { PathBase, PathRead } from "../../plan/mapping/ir.ts";
import { type Code, call, code, isPropertyName, join, literal, raw } from "../code.ts";
import { emitExpression } from "./dispatch.ts";
import { type Emitted, operand, precedences, primary } from "./precedence.ts";
import { runtime } from "./runtime.ts";
import { type EmitScope, readDocument } from "./scope.ts";

/** `document?.customer?.name ?? null` */
export function emitPath(path: PathRead, scope: EmitScope): Emitted {
  const { value, optional } = emitPathOpen(path, scope);
  return optional ? { code: code`${value} ?? null`, level: precedences.coalesce } : primary(value);
}

/**
 * Emits the path without its `?? null`. If `optional`, its value is `undefined` if it does not resolve. It starts from
 * `document` if one is passed.
 */
export function emitPathOpen(
  path: PathRead,
  scope: EmitScope,
  document?: Code,
): { readonly value: Code; readonly optional: boolean } {
  const { base, segments } = path;
  if (base.kind === "root" && rootless.has(scope.state.kind))
    return { value: call(runtime("withoutRoot"), []), optional: false };
  const whole = () => document ?? emitBase(base, scope);
  if (segments.length === 0) return { value: whole(), optional: false };
  if (base.kind === "root" && scope.state.root === "unset") return { value: literal(null), optional: false };
  const plain = segments.findIndex((segment) => !isPlainField(segment));
  const direct = plain === -1 ? segments : segments.slice(0, plain);
  const rest = segments.slice(direct.length);
  const read =
    direct.length === 0
      ? whole()
      : join([document ?? emitReadable(base, scope), ...direct.map(propertyRead)]);
  if (rest.length === 0) return { value: read, optional: true };
  const start = direct.length === 0 ? read : code`${read} ?? null`;
  return { value: emitGenericRead(start, rest), optional: false };
}

/** The functions that build no message. */
const rootless: ReadonlySet<EmitScope["state"]["kind"]> = new Set(["check", "query", "template"]);

/** Emits a read that supports own properties, indexes and wildcards. */
function emitGenericRead(start: Code, segments: readonly string[]): Code {
  const [only] = segments;
  if (segments.length === 1) return call(runtime("field"), [start, literal(only)]);
  return call(runtime("path"), [start, literal(segments)]);
}

/** Emits the start of a path as a value. */
function emitBase(base: PathBase, scope: EmitScope): Code {
  switch (base.kind) {
    case "document":
      return readDocument(scope, base.reference);
    case "root":
      return scope.state.root === "unset" ? runtime("nothing") : raw("root");
    case "Local":
      return readLocal(base, scope);
    case "value":
      return operand(emitExpression(base.value, scope), precedences.primary);
  }
}

/** Emits the start of a path as a value that `?.` can read. */
function emitReadable(base: PathBase, scope: EmitScope): Code {
  if (base.kind === "document") return readDocument(scope, base.reference);
  if (base.kind === "value") return call(runtime("fieldsOf"), [emitExpression(base.value, scope).code]);
  return call(runtime("fieldsOf"), [emitBase(base, scope)]);
}

function readLocal(local: Extract<PathBase, { kind: "Local" }>, scope: EmitScope): Code {
  const value = scope.locals.get(local) ?? raw("undefined");
  const [name] = value.parts;
  if (typeof name === "string") scope.state.used.add(name);
  return value;
}

function propertyRead(name: string): Code {
  return isPropertyName(name) ? raw(`?.${name}`) : code`?.[${name}]`;
}

/**
 * Names that values inherit from their prototypes. A field with such a name is read by a function that examines only
 * own properties. A test compares the list with the prototypes of the running engine.
 */
const inherited: ReadonlySet<string> = new Set(
  `BYTES_PER_ELEMENT __defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__ __proto__ anchor at big
  blink bold buffer byteLength byteOffset charAt charCodeAt codePointAt concat constructor copyWithin
  description endsWith entries every fill filter find findIndex findLast findLastIndex fixed flat flatMap
  fontcolor fontsize forEach hasOwnProperty includes indexOf isPrototypeOf isWellFormed italics join keys
  lastIndexOf length link localeCompare map match matchAll nanoseconds normalize numericKind padEnd padStart pop
  propertyIsEnumerable push reduce reduceRight repeat replace replaceAll reverse search seconds set setFromBase64
  setFromHex shift slice small some sort splice split startsWith strike sub subarray substr substring sup
  toBase64 toExponential toFixed toHex toLocaleLowerCase toLocaleString toLocaleUpperCase toLowerCase
  toPrecision toReversed toSorted toSpliced toString toUpperCase toWellFormed trim trimEnd trimLeft trimRight
  trimStart unshift valueOf values with zone`.split(/\s+/),
);

/** Whether `?.name` reads the field of every value correctly: no index, no wildcard, nothing inherited. */
export function isPlainField(name: string): boolean {
  return !inherited.has(name) && !/^[+-]?[0-9]+$/.test(name) && name !== "*" && name !== "-";
}
