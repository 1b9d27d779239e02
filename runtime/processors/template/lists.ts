// Functions on lists.

import { mostElements, refuseLarger } from "../../mapping/size-limits.ts";
import { spend } from "../jq/run.ts";
import { toInteger } from "./casts.ts";
import { areEqual } from "./equality.ts";
import { failure, isTrue, itemsOf, kindName, List, type TemplateValue } from "./values.ts";

/** Returns the elements of a list. Throws for other values. */
function elements(name: string, value: TemplateValue): readonly TemplateValue[] {
  const items = itemsOf(value);
  if (items === undefined) throw failure(`cannot ${name} a value of kind ${kindName(value)}`);
  spend(items.length);
  return items;
}

function listOf(items: readonly TemplateValue[]): List {
  refuseLarger("a list", items.length, mostElements);
  return new List([...items]);
}

export function list(...values: readonly TemplateValue[]): List {
  return listOf(values);
}

export function append(target: TemplateValue, value: TemplateValue): List {
  return listOf([...elements("append to", target), value]);
}

export function prepend(target: TemplateValue, value: TemplateValue): List {
  return listOf([value, ...elements("prepend to", target)]);
}

export function first(target: TemplateValue): TemplateValue {
  return elements("take the first of", target)[0] ?? null;
}

export function last(target: TemplateValue): TemplateValue {
  return elements("take the last of", target).at(-1) ?? null;
}

export function rest(target: TemplateValue): List {
  const items = elements("take the rest of", target);
  return items.length === 0 ? new List([], "interface {}", true) : listOf(items.slice(1));
}

export function initial(target: TemplateValue): List {
  const items = elements("take the beginning of", target);
  return items.length === 0 ? new List([], "interface {}", true) : listOf(items.slice(0, -1));
}

export function reverse(target: TemplateValue): List {
  return listOf(elements("reverse", target).toReversed());
}

export function uniq(target: TemplateValue): List {
  const kept: TemplateValue[] = [];
  for (const item of elements("remove repetitions from", target)) if (!isIn(kept, item)) kept.push(item);
  return listOf(kept);
}

export function without(target: TemplateValue, ...omitted: readonly TemplateValue[]): List {
  return listOf(elements("remove from", target).filter((item) => !isIn(omitted, item)));
}

export function has(value: TemplateValue, target: TemplateValue): boolean {
  if (target === null || target === undefined) return false;
  return isIn(elements("search", target), value);
}

function isIn(items: readonly TemplateValue[], value: TemplateValue): boolean {
  return items.some((item) => areEqual(item, value));
}

export function compact(target: TemplateValue): List {
  return listOf(elements("compact", target).filter(isTrue));
}

export function slice(target: TemplateValue, ...bounds: readonly TemplateValue[]): TemplateValue {
  const items = elements("slice", target);
  if (items.length === 0) return null;
  const start = bounds.length > 0 ? Number(toInteger(bounds[0])) : 0;
  const end = bounds.length > 1 ? Number(toInteger(bounds[1])) : items.length;
  if (start < 0 || end > items.length || start > end)
    throw failure(`elements ${start} to ${end} are outside of the list, which has ${items.length} elements`);
  return target instanceof Uint8Array
    ? target.subarray(start, end)
    : new List(items.slice(start, end), target instanceof List ? target.of : "interface {}");
}

export function concat(...lists: readonly TemplateValue[]): List {
  const all = lists.flatMap((each) => elements("concatenate", each));
  return all.length === 0 ? new List([], "interface {}", true) : listOf(all);
}

export function chunk(size: number, target: TemplateValue): List {
  const items = elements("divide", target);
  const count = Math.floor((items.length - 1) / size) + 1;
  if (!Number.isFinite(count) || count < 0) throw failure(`lists cannot be divided into parts of ${size}`);
  const parts = Array.from({ length: count }, (_, index) =>
    listOf(items.slice(index * size, (index + 1) * size)),
  );
  return new List(parts, "[]interface {}");
}
