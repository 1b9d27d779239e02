// Merges arrays and objects.

import { isArray, isObject, type ObjectValue, type Value } from "../message/value.ts";
import { arrayTarget } from "./arguments.ts";
import { wrongType } from "./failures.ts";

/** Resolves a collision of two values that are not both objects. */
type Collision = (left: Value, right: Value) => Value;

/** `.merge(with)`: a collision becomes an array of both values. */
export function merge(target: Value, from: string, other: Value): Value {
  return together(target, other, from, listBoth);
}

/** `.assign(with)`: in a collision, the argument wins. */
export function assign(target: Value, from: string, other: Value): Value {
  return together(target, other, from, (_, right) => right);
}

/**
 * Merges objects from left to right. In a collision, the values become an array, or the last or the first one is kept.
 */
export function join(objects: readonly ObjectValue[], strategy: "array" | "replace" | "keep"): ObjectValue {
  if (strategy === "array") return squashed(objects);
  const one: Collision = strategy === "replace" ? (_, right) => right : (left) => left;
  return objects.reduce((joined, object) => mergeObjects(joined, object, one));
}

/** `.squash()`: merges the objects of an array from left to right. */
export function squash(target: Value, _from: string): Value {
  return squashed(arrayTarget(target, "").filter(isObject));
}

/** Collects all values of each key first, so that merging many objects does not copy the result again and again. */
function squashed(objects: readonly ObjectValue[]): ObjectValue {
  const found = new Map<string, Value[]>();
  for (const object of objects) {
    for (const [key, value] of Object.entries(object)) {
      const known = found.get(key);
      if (known === undefined) found.set(key, [value]);
      else known.push(value);
    }
  }
  return Object.fromEntries([...found].map(([key, values]) => [key, collected(values)]));
}

/** Merges the values of one key from left to right, as `listBoth` does: leading objects become one object. */
function collected(values: readonly Value[]): Value {
  const end = values.findIndex((value) => !isObject(value));
  const objects = values.slice(0, end < 0 ? values.length : end).filter(isObject);
  const rest = values.slice(objects.length);
  const first = objects.length > 1 ? squashed(objects) : objects[0];
  const all = first === undefined ? rest : [first, ...rest];
  const [only = null] = all;
  return all.length === 1 ? only : all.flat();
}

function together(target: Value, other: Value, from: string, collision: Collision): Value {
  if (isArray(target)) return isArray(other) ? [...target, ...other] : [...target, other];
  if (!isObject(target)) throw wrongType(from, ["object", "array"], target);
  if (!isObject(other)) return target;
  return mergeObjects(target, other, collision);
}

function mergeObjects(left: ObjectValue, right: ObjectValue, collision: Collision): ObjectValue {
  const merged = new Map(Object.entries(left));
  for (const [key, value] of Object.entries(right)) {
    const existing = merged.get(key);
    if (existing === undefined) merged.set(key, value);
    else if (isObject(existing) && isObject(value)) merged.set(key, mergeObjects(existing, value, collision));
    else merged.set(key, collision(existing, value));
  }
  return Object.fromEntries(merged);
}

function listBoth(left: Value, right: Value): Value {
  return [...(isArray(left) ? left : [left]), ...(isArray(right) ? right : [right])];
}
