import { alternativesOf } from "../../compiler/value-types/alternatives.ts";
import type { ObjectType, Type } from "../../compiler/value-types/type.ts";
import { typeName } from "../../runtime/mapping/kinds.ts";
import { numeric } from "../../runtime/mapping/numeric.ts";
import { isArray, isObject, type ObjectValue, type Value } from "../../runtime/message/value.ts";

/** Whether a value of a run belongs to a type. */
export function runValueFits(type: Type, value: Value): boolean {
  return alternativesOf(type).some((alternative) => {
    if (alternative.kind === "Unknown") return true;
    if (kindNames[alternative.kind] !== typeName(value)) return false;
    if (alternative.kind === "Array")
      return isArray(value) && value.every((item) => runValueFits(alternative.items, item));
    if (alternative.kind === "Object") return isObject(value) && objectFits(alternative, value);
    if (alternative.kind === "Integer") return integerFits(alternative.value, value);
    return !("value" in alternative) || alternative.value === undefined || alternative.value === value;
  });
}

const kindNames: Partial<Record<Type["kind"], string>> = {
  Null: "null",
  Bool: "bool",
  Integer: "number",
  Float: "number",
  String: "string",
  Bytes: "bytes",
  Timestamp: "timestamp",
  Array: "array",
  Object: "object",
  Deleted: "delete",
  Nothing: "nothing",
};

/** Whole numbers count, however they are kept: `1.0` of a document is an integer to its schema. */
function integerFits(wanted: bigint | undefined, value: Value): boolean {
  const number = numeric(value)?.valueOf();
  if (typeof number !== "bigint" && !Number.isInteger(number)) return false;
  return wanted === undefined || BigInt(number as bigint | number) === wanted;
}

function objectFits({ fields, rest }: ObjectType, value: ObjectValue): boolean {
  for (const [name, field] of fields) {
    const held = Object.hasOwn(value, name) ? value[name] : undefined;
    if (held === undefined ? field.required : !runValueFits(field.type, held)) return false;
  }
  return Object.entries(value).every(
    ([name, held]) => fields.has(name) || (rest !== undefined && runValueFits(rest, held)),
  );
}
