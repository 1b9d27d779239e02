// Lists the changes between two values, and applies such a list to a value.

import { MappingError } from "../errors.ts";
import { isArray, isObject, SizedNumber, SourceNumber, type Value } from "../message/value.ts";
import { compareUtf8 } from "../text/utf8.ts";
import { beyondFloat } from "./failures.ts";
import { nativeTypeName, typeName } from "./kinds.ts";
import { isFloat, isNumber, numeric, toBigInt, toFloat } from "./numeric.ts";
import { equal } from "./operators.ts";
import { isAbsent, nativeText, textOf } from "./text.ts";

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
  const changes = readChanges(changelog);
  if (target === null) return null;
  return finished(changes.reduce<Draft>(applied, kept(target)));
}

function compare(path: Path, before: Value, after: Value, changes: Value[]): void {
  if (before === null || after === null) {
    if (before !== after) changes.push(change("update", path, before, after));
  } else if (isArray(before) && isArray(after)) compareArrays(path, before, after, changes);
  else if (isObject(before) && isObject(after)) compareObjects(path, before, after, changes);
  else if (diffType(before) !== diffType(after))
    throw new MappingError(" types do not match (cause count 0)\n", "types do not match");
  else if (!equal(before, after)) changes.push(change("update", path, before, after));
}

/** A number of a message beyond the range of float64 stays text. */
function diffType(value: Value): string {
  return beyondFloat(value) === undefined ? typeName(value) : "string";
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

/** A change of a list that `patch` applies. One of another type has no effect, as in the reference engine. */
interface Change {
  readonly type: string;
  readonly path: Path;
  readonly to: Value;
}

/** Returns the changes of a list. Throws a `MappingError` that names each value of a wrong type. */
function readChanges(changelog: Value): readonly Change[] {
  if (isAbsent(changelog)) return [];
  const faults: string[] = [];
  const entries = elementsOf(changelog, "", faults);
  const changes = entries.map((entry, index) => readChange(entry, `[${index}]`, faults));
  const [first] = faults;
  if (first === undefined) return changes;
  const list = faults.sort(compareUtf8).map((fault) => `* ${fault}`);
  const isList = isArray(changelog) || changelog instanceof Uint8Array;
  const text = isList ? `${faults.length} error(s) decoding:\n\n${list.join("\n")}` : first;
  throw new MappingError(text, "the list of changes is not valid");
}

/** Returns a change of a list. The case of the names does not matter; a name in the case that `diff` uses comes first. */
function readChange(entry: Value, place: string, faults: string[]): Change {
  if (!isObject(entry)) {
    if (!isAbsent(entry)) faults.push(`'${place}' expected a map, got '${kindOf(entry)}'`);
    return { type: "", path: [], to: null };
  }
  const fields = new Map(Object.entries(entry).map(([key, value]) => [key.toLowerCase(), value]));
  const field = (name: string) => {
    const value = Object.hasOwn(entry, name) ? entry[name] : fields.get(name.toLowerCase());
    return value === undefined || isAbsent(value) ? undefined : value;
  };
  const type = field("Type");
  const path = field("Path");
  const steps = path === undefined ? [] : elementsOf(path, `${place}.Path`, faults);
  return {
    type: type === undefined ? "" : stepText(type, `${place}.Type`, faults),
    path: steps.map((step, index) => stepText(step, `${place}.Path[${index}]`, faults)),
    to: field("To") ?? null,
  };
}

function elementsOf(value: Value, place: string, faults: string[]): readonly Value[] {
  if (isArray(value)) return value;
  if (value instanceof Uint8Array) return [...value].map((byte) => new SizedNumber("uint8", byte));
  faults.push(`'${place}': source data must be an array or slice, got ${kindOf(value)}`);
  return [];
}

/** Returns a type or a step of a path. Numbers of documents are accepted, as the reference engine keeps their text. */
function stepText(value: Value, place: string, faults: string[]): string {
  if (isAbsent(value)) return "";
  if (typeof value === "string" || (isNumber(value) && !(value instanceof SizedNumber))) return textOf(value);
  const type = nativeTypeName(value);
  faults.push(
    `'${place}' expected type 'string', got unconvertible type '${type}', value: '${nativeText(value)}'`,
  );
  return "";
}

/** Returns the kind of a value in the implementation of the reference engine. */
function kindOf(value: Value): string {
  if (isArray(value) || value instanceof Uint8Array) return "slice";
  if (isObject(value)) return "map";
  if (typeof value === "boolean") return "bool";
  return isNumber(value) && !(value instanceof SourceNumber) ? nativeTypeName(value) : "string";
}

function applied(draft: Draft, { type, path, to }: Change): Draft {
  if (type === "create" || type === "update") return changedAt(draft, path, 0, to);
  return type === "delete" && path.length > 0 ? changedAt(draft, path, 0, undefined) : draft;
}

/** A value during changes. Each part that a change passes through is copied only once, however many changes follow. */
type Draft =
  | { readonly kind: "kept"; readonly value: Value }
  | { readonly kind: "array"; readonly elements: Draft[] }
  | { readonly kind: "object"; readonly fields: Map<string, Draft> };

/** Returns the draft with `content` at a path. `undefined` removes the value at the path, if there is one. */
function changedAt(draft: Draft, path: Path, depth: number, content: Value | undefined): Draft {
  const step = path[depth];
  if (step === undefined) return kept(content ?? null);
  const open = opened(draft, step, content === undefined);
  const isRemoved = depth === path.length - 1 && content === undefined;
  switch (open.kind) {
    case "kept":
      return open;
    case "object": {
      const inner = open.fields.get(step);
      if (isRemoved) open.fields.delete(step);
      else if (inner !== undefined || content !== undefined)
        open.fields.set(step, changedAt(inner ?? kept(null), path, depth + 1, content));
      return open;
    }
    case "array": {
      const { elements } = open;
      const index = readIndex(step);
      const inner = elements[index];
      if (inner === undefined && content === undefined) throw noElement(index);
      if (isRemoved) elements.splice(index, 1);
      else
        elements[Math.min(index, elements.length)] = changedAt(inner ?? kept(null), path, depth + 1, content);
      return open;
    }
  }
}

function readIndex(step: string): number {
  const text = ` invalid index in path. ${step} is not a number (cause count 1)\n`;
  const cause = `strconv.Atoi: parsing ${JSON.stringify(step)}: invalid syntax`;
  if (!/^[+-]?[0-9]+$/.test(step)) throw new MappingError(text + cause, `no element ${step} in an array`);
  if (Number(step) < 0) throw new MappingError(`no element ${step} in an array`);
  return Number(step);
}

function noElement(index: number): MappingError {
  const text = ` Value index ${index} is invalid (cause count 1)\n scanning for Value index (cause count 0)\n`;
  return new MappingError(text, `no element ${index} in an array`);
}

/**
 * Returns a draft with elements or fields. An absent value becomes an object. A value that has neither is returned as
 * it is if something is to be removed from it.
 */
function opened(draft: Draft, step: string, isRemoval: boolean): Draft {
  if (draft.kind !== "kept") return draft;
  const { value } = draft;
  if (isArray(value)) return { kind: "array", elements: value.map(kept) };
  if (isObject(value))
    return {
      kind: "object",
      fields: new Map(Object.entries(value).map(([key, each]) => [key, kept(each)])),
    };
  if (isRemoval) return draft;
  if (isAbsent(value)) return { kind: "object", fields: new Map() };
  const text = " reflect: reflect.Value.Set using unaddressable value (cause count 0)\n";
  throw new MappingError(text, `cannot set ${step} of a ${typeName(value)}`);
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
