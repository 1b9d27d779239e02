// The parameters of functions in templates, and the conversion of their arguments.

import { Timestamp } from "../../message/value.ts";
import { Dict, Float, failure, Int, type TemplateValue, typeName } from "./values.ts";

/**
 * The type of a parameter. `int` and `float64` are passed as JavaScript numbers. `any`: an absent value is passed as null;
 * `value`: as `undefined`. `dict`: a dictionary of any values, or null.
 */
export type Parameter = "any" | "value" | "string" | "int" | "float64" | "bool" | "dict" | "time";

/** The parameters of a function. */
export interface Signature {
  readonly fixed: readonly Parameter[];
  /** The type of all further arguments. */
  readonly rest: Parameter | undefined;
  readonly least: number;
}

const known = /* @__PURE__ */ new Map<string, Signature>();

/** Returns the parameters of `takes` of a function, such as `string any...`. */
export function signatureOf(takes: string): Signature {
  const made = known.get(takes);
  if (made !== undefined) return made;
  const words = takes === "" ? [] : takes.split(" ");
  const last = words.at(-1);
  const isOpen = last?.endsWith("...") === true;
  // Functions declare only these types.
  const fixed = (isOpen ? words.slice(0, -1) : words) as readonly Parameter[];
  const rest = isOpen ? (last.slice(0, -3) as Parameter) : undefined;
  const signature = { fixed, rest, least: fixed.length };
  known.set(takes, signature);
  return signature;
}

/** Returns why a function cannot be called with `count` arguments; `undefined` if it can. */
export function callSignature(name: string, { least, rest }: Signature, count: number): string | undefined {
  if (count === least || (rest !== undefined && count >= least)) return undefined;
  const wanted = `${rest === undefined ? "" : "at least "}${least} argument${least === 1 ? "" : "s"}`;
  return `\`${name}\` takes ${wanted}, got ${count}`;
}

/** Returns the type of the argument at `index`. */
export function parameterAt({ fixed, rest }: Signature, index: number): Parameter {
  return fixed[index] ?? rest ?? "any";
}

/** Returns an argument as the function receives it. Throws if it does not have the type. */
export function validated(value: TemplateValue, type: Parameter): unknown {
  switch (type) {
    case "any":
      return value ?? null;
    case "value":
      return value ?? undefined;
    case "string":
    case "bool":
      if (typeof value === (type === "string" ? "string" : "boolean")) return value;
      break;
    case "int":
      if (value instanceof Int && value.type === "int") return Number(value.value);
      break;
    case "float64":
      if (value instanceof Float && value.type === "float64") return value.value;
      break;
    case "dict":
      if (value === undefined) return null;
      if (value instanceof Dict && value.of === "interface {}") return value;
      break;
    case "time":
      if (value instanceof Timestamp) return value;
      break;
  }
  const wanted = {
    string: "string",
    bool: "bool",
    int: "int",
    float64: "float64",
    dict: "map[string]interface {}",
    time: "time.Time",
  };
  throw failure(`wrong type for value; expected ${wanted[type]}; got ${typeName(value)}`);
}
