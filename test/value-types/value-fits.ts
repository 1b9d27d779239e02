import { alternativesOf } from "../../compiler/value-types/alternatives.ts";
import type { Type } from "../../compiler/value-types/type.ts";

/** Whether a JSON value belongs to a type: a second, independent definition of types for tests. */
export function valueFits(type: Type, value: unknown): boolean {
  return alternativesOf(type).some((alternative) => {
    switch (alternative.kind) {
      case "Unknown":
        return true;
      case "Null":
        return value === null;
      case "Bool":
        return typeof value === "boolean" && (alternative.value ?? value) === value;
      case "String":
        return typeof value === "string" && (alternative.value ?? value) === value;
      case "Integer":
        return (
          Number.isInteger(value) &&
          (alternative.value ?? BigInt(value as number)) === BigInt(value as number)
        );
      case "Float":
        return typeof value === "number" && !Number.isInteger(value);
      case "Array":
        return Array.isArray(value) && value.every((item) => valueFits(alternative.items, item));
      case "Object":
        return isFields(value) && objectFits(alternative, value);
      default:
        return false;
    }
  });
}

function objectFits(
  { fields, rest }: Extract<Type, { kind: "Object" }>,
  value: Record<string, unknown>,
): boolean {
  for (const [name, field] of fields) {
    if (Object.hasOwn(value, name) ? !valueFits(field.type, value[name]) : field.required) return false;
  }
  return Object.entries(value).every(
    ([name, held]) => fields.has(name) || (rest !== undefined && valueFits(rest, held)),
  );
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
