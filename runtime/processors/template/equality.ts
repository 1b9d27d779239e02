// Deep equality of values, which includes their types.

import { SourceNumber, Timestamp } from "../../message/value.ts";
import { spend } from "../jq/run.ts";
import { Dict, Float, Int, List, Opaque, type TemplateValue } from "./values.ts";

/** Whether two values have the same type and content. */
export function areEqual(one: TemplateValue, other: TemplateValue): boolean {
  spend(1);
  if (one === null || one === undefined) return other === null || other === undefined;
  if (one instanceof Int) return other instanceof Int && one.type === other.type && one.value === other.value;
  if (one instanceof Float)
    return other instanceof Float && one.type === other.type && one.value === other.value;
  if (one instanceof SourceNumber)
    return other instanceof SourceNumber && one.toString() === other.toString();
  if (one instanceof List) return other instanceof List && areListsEqual(one, other);
  if (one instanceof Dict) return other instanceof Dict && areDictsEqual(one, other);
  if (one instanceof Uint8Array) return other instanceof Uint8Array && Buffer.compare(one, other) === 0;
  if (one instanceof Timestamp)
    return (
      other instanceof Timestamp &&
      one.seconds() === other.seconds() &&
      one.nanoseconds() === other.nanoseconds() &&
      one.zone() === other.zone()
    );
  if (one instanceof Opaque)
    return other instanceof Opaque && one.type === other.type && one.text() === other.text();
  return one === other;
}

function areListsEqual(one: List, other: List): boolean {
  if (one === other) return true;
  if (one.of !== other.of || one.isNil !== other.isNil || one.items.length !== other.items.length)
    return false;
  return one.items.every((item, index) => areEqual(item, other.items[index]));
}

function areDictsEqual(one: Dict, other: Dict): boolean {
  if (one === other) return true;
  if (one.of !== other.of || one.size !== other.size) return false;
  return one.entries().every(([key, value]) => other.has(key) && areEqual(value, other.get(key)));
}
