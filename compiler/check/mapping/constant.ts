// Values that are known before any message: the results of folding, shared with the plan.

/** Folded data. `bigint` is an int64; a float64 is wrapped, because `5` and `5.0` differ. */
export type ConstantValue = null | boolean | bigint | string | FloatConstant | ArrayConstant | ObjectConstant;

/** `5.0` */
export interface FloatConstant {
  readonly kind: "float";
  readonly value: number;
}

/** `[1, 2]` */
export interface ArrayConstant {
  readonly kind: "array";
  readonly items: readonly ConstantValue[];
}

/** `{"a": 1}`; of equal keys the last one counts. */
export interface ObjectConstant {
  readonly kind: "object";
  readonly entries: ReadonlyMap<string, ConstantValue>;
}

/** The type of a constant, as the language names it. */
export type ConstantType = "null" | "bool" | "number" | "string" | "array" | "object";

/** Returns the type of a constant, as error messages name it. */
export function constantType(value: ConstantValue): ConstantType {
  if (value === null) return "null";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "string") return "string";
  if (typeof value === "bigint" || value.kind === "float") return "number";
  return value.kind;
}

/** Returns the value of a number, text or bool in brackets, for the end of errors about its type. */
export function shownValue(value: ConstantValue): string {
  if (typeof value === "string") return ` ("${value}")`;
  if (typeof value === "boolean" || typeof value === "bigint") return ` (${value})`;
  return value !== null && value.kind === "float" ? ` (${printFloat(value.value)})` : "";
}

/** Prints a float64 as the reference engine does: with an exponent from a million on and below a ten-thousandth. */
export function printFloat(value: number): string {
  const magnitude = Math.abs(value);
  if (value === 0 || (magnitude >= 1e-4 && magnitude < 1e6))
    return Object.is(value, -0) ? "-0" : String(value);
  return value.toExponential().replace(/([+-])(\d)$/, "$10$2");
}

/** Returns the type of a constant as the implementation of the reference engine names it in some error messages. */
export function nativeTypeOf(value: ConstantValue): string {
  if (typeof value === "bigint") return "int64";
  return nativeTypes[constantType(value)];
}

const nativeTypes: { readonly [T in ConstantType]: string } = {
  null: "<nil>",
  bool: "bool",
  number: "float64",
  string: "string",
  array: "[]interface {}",
  object: "map[string]interface {}",
};

/** Whether a constant is an int64 or float64. */
export function isNumeric(value: ConstantValue): value is bigint | FloatConstant {
  return constantType(value) === "number";
}

/** Arguments by position with defaults filled in; `undefined` if one was omitted or is a query. */
export type KnownArguments = readonly (ConstantValue | undefined)[];
