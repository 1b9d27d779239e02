// Putting arrays and objects together.

import { isArray, isObject, type ObjectValue, type Value } from "../message/value.ts";
import { arrayTarget } from "./arguments.ts";
import { wrongType } from "./failures.ts";

/** What becomes of two values at the same place that are not both objects. */
type Collision = (left: Value, right: Value) => Value;

/** `.merge(with)`: what stands in both becomes an array of both. */
export function merge(target: Value, from: string, other: Value): Value {
  return together(target, other, from, listBoth);
}

/** `.assign(with)`: what stands in both is taken from the argument. */
export function assign(target: Value, from: string, other: Value): Value {
  return together(target, other, from, (_, right) => right);
}

/** Objects as one, from left to right: what stands at a place in several is listed, or the last or the first of it. */
export function join(objects: readonly ObjectValue[], strategy: "array" | "replace" | "keep"): ObjectValue {
  if (strategy === "array") return squashed(objects);
  const one: Collision = strategy === "replace" ? (_, right) => right : (left) => left;
  return objects.reduce((joined, object) => mergeObjects(joined, object, one));
}

/** `.squash()`: the objects of an array merged from left to right. */
export function squash(target: Value, _from: string): Value {
  return squashed(arrayTarget(target, "").filter(isObject));
}

/** All that the objects have at each key is looked at once, so that many objects are not copied again and again. */
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

/** Values of one key, merged from left to right as `listBoth` does: objects at the start become one. */
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
