// The changes between two values as a list, and values changed by such a list.

import { MappingError } from "../errors.ts";
import { compareUtf8 } from "../utf8.ts";
import { isArray, isObject, type Value } from "../value.ts";
import { typeName } from "./kinds.ts";
import { equal } from "./operators.ts";
import { isAbsent, textOf } from "./text.ts";

type Path = readonly string[];

/** `.diff(other)`: what to create, update and delete to get the other value; null has no changes. */
export function diff(target: Value, _from: string, other: Value): Value {
  if (target === null) return null;
  const changes: Value[] = [];
  compare([], target, other, changes);
  return changes;
}

/** `.patch(changelog)`: the target with the changes made, in their order. */
export function patch(target: Value, _from: string, changelog: Value): Value {
  if (!isArray(changelog)) throw new MappingError(`expected array value, got ${typeName(changelog)}`);
  if (target === null) return null;
  return changelog.reduce<Value>((value, change) => applied(value, change), target);
}

function compare(path: Path, before: Value, after: Value, changes: Value[]): void {
  if (before === null || after === null) {
    if (before !== after) changes.push(change("update", path, before, after));
  } else if (isArray(before) && isArray(after)) compareArrays(path, before, after, changes);
  else if (isObject(before) && isObject(after)) compareObjects(path, before, after, changes);
  else if (typeName(before) !== typeName(after)) throw new MappingError("types do not match");
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

/** Elements that the other array has anywhere, as often, are no change: order does not count. */
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
  const used = new Set<number>();
  const alone = new Set<number>();
  for (const [index, element] of elements.entries()) {
    const at = others.findIndex((other, place) => !used.has(place) && equal(element, other));
    if (at < 0) alone.add(index);
    else used.add(at);
  }
  return alone;
}

function change(type: "create" | "update" | "delete", path: Path, before: Value, after: Value): Value {
  return { Type: type, Path: path, From: before, To: after };
}

function applied(value: Value, entry: Value): Value {
  const { type, path, to } = readChange(entry);
  if (type !== "create" && type !== "update" && type !== "delete")
    throw new MappingError(`change type must be one of create, update or delete, got ${textOf(type)}`);
  if (!isArray(path)) throw new MappingError(`expected array value, got ${typeName(path)}`);
  return changedAt(value, path.map(textOf), type === "delete" ? undefined : to);
}

/** The fields of a change, whatever the case of their names. */
function readChange(entry: Value): { readonly type: Value; readonly path: Value; readonly to: Value } {
  if (!isObject(entry)) throw new MappingError(`expected object value, got ${typeName(entry)}`);
  const fields = new Map(Object.entries(entry).map(([key, value]) => [key.toLowerCase(), value]));
  return { type: fields.get("type") ?? null, path: fields.get("path") ?? null, to: fields.get("to") ?? null };
}

/** The value with `content` at a path, or without what is there where `content` is undefined. */
function changedAt(value: Value, [step, ...rest]: Path, content: Value | undefined): Value {
  if (step === undefined) return content ?? null;
  if (isArray(value)) {
    const index = Number(step);
    if (!Number.isInteger(index) || index < 0) throw new MappingError(`no element ${step} in an array`);
    if (rest.length === 0 && content === undefined) return value.toSpliced(index, 1);
    const inner = changedAt(value[index] ?? null, rest, content);
    return index < value.length ? value.with(index, inner) : [...value, inner];
  }
  if (!isObject(value) && !isAbsent(value))
    throw new MappingError(`cannot set ${step} of a ${typeName(value)}`);
  const entries = new Map(isObject(value) ? Object.entries(value) : []);
  if (rest.length === 0 && content === undefined) entries.delete(step);
  else entries.set(step, changedAt(entries.get(step) ?? null, rest, content));
  return Object.fromEntries(entries);
}
