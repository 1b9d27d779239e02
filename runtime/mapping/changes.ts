// Lists the changes between two values, and applies such a list to a value.

import { MappingError } from "../errors.ts";
import { isArray, isObject, type Value } from "../message/value.ts";
import { compareUtf8 } from "../text/utf8.ts";
import { typeName } from "./kinds.ts";
import { isFloat, numeric, toBigInt, toFloat } from "./numeric.ts";
import { equal } from "./operators.ts";
import { isAbsent, textOf } from "./text.ts";

type Path = readonly string[];

/**
 * `.diff(other)`: returns what to create, update and delete to get the other value. Returns null if the target is null.
 */
export function diff(target: Value, _from: string, other: Value): Value {
  if (target === null) return null;
  const changes: Value[] = [];
  if (other !== null) compare([], target, other, changes);
  else if (isObject(target)) compareObjects([], target, {}, changes);
  else changes.push(change("delete", [], target, null));
  return changes;
}

/** `.patch(changelog)`: returns the target with the changes applied in order. */
export function patch(target: Value, _from: string, changelog: Value): Value {
  if (target === null) return null;
  if (!isArray(changelog)) throw new MappingError(`expected array value, got ${typeName(changelog)}`);
  return finished(changelog.reduce<Draft>(applied, kept(target)));
}

function compare(path: Path, before: Value, after: Value, changes: Value[]): void {
  if (before === null || after === null) {
    if (before !== after) changes.push(change("update", path, before, after));
  } else if (isArray(before) && isArray(after)) compareArrays(path, before, after, changes);
  else if (isObject(before) && isObject(after)) compareObjects(path, before, after, changes);
  else if (typeName(before) !== typeName(after))
    throw new MappingError(" types do not match (cause count 0)\n", "types do not match");
  else if (!equal(before, after)) changes.push(change("update", path, before, after));
}

function compareObjects(
  path: Path,
  before: { readonly [key: string]: Value },
  after: { readonly [key: string]: Value },
  changes: Value[],
): void {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  for (const key of [...keys].sort(compareUtf8)) {
    const inner = [...path, key];
    if (!Object.hasOwn(before, key)) changes.push(change("create", inner, null, after[key] ?? null));
    else if (!Object.hasOwn(after, key)) changes.push(change("delete", inner, before[key] ?? null, null));
    else compare(inner, before[key] ?? null, after[key] ?? null, changes);
  }
}

/** Order does not matter: an element is unchanged if the other array contains it as often, at any position. */
function compareArrays(
  path: Path,
  before: readonly Value[],
  after: readonly Value[],
  changes: Value[],
): void {
  const gone = unmatched(before, after);
  const fresh = unmatched(after, before);
  for (const index of new Set([...gone, ...fresh])) {
    const inner = [...path, String(index)];
    if (!gone.has(index)) changes.push(change("create", inner, null, after[index] ?? null));
    else if (!fresh.has(index)) changes.push(change("delete", inner, before[index] ?? null, null));
    else compare(inner, before[index] ?? null, after[index] ?? null, changes);
  }
}

function unmatched(elements: readonly Value[], others: readonly Value[]): ReadonlySet<number> {
  const counts = new Map<string, number>();
  for (const other of others) {
    const key = identity(other);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const alone = new Set<number>();
  for (const [index, element] of elements.entries()) {
    const key = identity(element);
    const count = counts.get(key) ?? 0;
    if (count === 0) alone.add(index);
    else counts.set(key, count - 1);
  }
  return alone;
}

/** Returns a text that is the same for equal values of the same type. The order of keys does not matter. */
function identity(value: Value): string {
  if (isArray(value)) return `[${value.map(identity).join()}]`;
  if (isObject(value)) {
    const keys = Object.keys(value).sort(compareUtf8);
    return `{${keys.map((key) => `${JSON.stringify(key)}:${identity(value[key] ?? null)}`).join()}}`;
  }
  const number = numeric(value);
  if (number !== undefined) return isFloat(number) ? String(toFloat(number)) : String(toBigInt(number));
  return value === null || typeof value === "boolean" ? String(value) : JSON.stringify(textOf(value));
}

function change(type: "create" | "update" | "delete", path: Path, before: Value, after: Value): Value {
  return { Type: type, Path: path, From: before, To: after };
}

function applied(draft: Draft, entry: Value): Draft {
  const { type, path, to } = readChange(entry);
  if (type !== "create" && type !== "update" && type !== "delete")
    throw new MappingError(`change type must be one of create, update or delete, got ${textOf(type)}`);
  if (!isArray(path)) throw new MappingError(`expected array value, got ${typeName(path)}`);
  return changedAt(draft, path.map(textOf), 0, type === "delete" ? undefined : to);
}

/** Returns the fields of a change. The case of their names does not matter. */
function readChange(entry: Value): { readonly type: Value; readonly path: Value; readonly to: Value } {
  if (!isObject(entry)) throw new MappingError(`expected object value, got ${typeName(entry)}`);
  const fields = new Map(Object.entries(entry).map(([key, value]) => [key.toLowerCase(), value]));
  return { type: fields.get("type") ?? null, path: fields.get("path") ?? null, to: fields.get("to") ?? null };
}

/** A value during changes. Each part that a change passes through is copied only once, however many changes follow. */
type Draft =
  | { readonly kind: "kept"; readonly value: Value }
  | { readonly kind: "array"; readonly elements: Draft[] }
  | { readonly kind: "object"; readonly fields: Map<string, Draft> };
type OpenDraft = Exclude<Draft, { readonly kind: "kept" }>;

/** Returns the draft with `content` at a path. `undefined` removes the value at the path. */
function changedAt(draft: Draft, path: Path, depth: number, content: Value | undefined): Draft {
  const step = path[depth];
  if (step === undefined) return kept(content ?? null);
  const open = opened(draft, step);
  const isRemoved = depth === path.length - 1 && content === undefined;
  if (open.kind === "object") {
    if (isRemoved) open.fields.delete(step);
    else open.fields.set(step, changedAt(open.fields.get(step) ?? kept(null), path, depth + 1, content));
    return open;
  }
  const index = Number(step);
  if (!Number.isInteger(index) || index < 0) throw new MappingError(`no element ${step} in an array`);
  const { elements } = open;
  if (isRemoved) elements.splice(index, 1);
  else {
    const inner = changedAt(elements[index] ?? kept(null), path, depth + 1, content);
    elements[Math.min(index, elements.length)] = inner;
  }
  return open;
}

/** Returns a draft with elements or fields. An absent value becomes an object. */
function opened(draft: Draft, step: string): OpenDraft {
  if (draft.kind !== "kept") return draft;
  const { value } = draft;
  if (isArray(value)) return { kind: "array", elements: value.map(kept) };
  if (!isObject(value) && !isAbsent(value))
    throw new MappingError(`cannot set ${step} of a ${typeName(value)}`);
  const entries = isObject(value) ? Object.entries(value) : [];
  return { kind: "object", fields: new Map(entries.map(([key, each]) => [key, kept(each)])) };
}

function kept(value: Value): Draft {
  return { kind: "kept", value };
}

function finished(draft: Draft): Value {
  switch (draft.kind) {
    case "kept":
      return draft.value;
    case "array":
      return draft.elements.map(finished);
    case "object":
      return Object.fromEntries([...draft.fields].map(([key, field]) => [key, finished(field)]));
  }
}
