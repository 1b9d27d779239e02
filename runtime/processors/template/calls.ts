// Calls of functions and methods: their parameters, the conversion of arguments, and the methods of times and of the
// numbers of a message.

import { maxInt64 } from "../../mapping/numeric.ts";
import { formatTime } from "../../mapping/time-layouts.ts";
import { zoneNamed } from "../../mapping/zones.ts";
import { civilTime } from "../../message/timestamp.ts";
import { SourceNumber, Timestamp } from "../../message/value.ts";
import { dayOfYear } from "../../text/calendar.ts";
import { floatOfText, integerOfText } from "./casts.ts";
import type { Operand } from "./syntax.ts";
import {
  Dict,
  Float,
  failure,
  Int,
  int,
  int64,
  Opaque,
  type TemplateFunction,
  type TemplateValue,
  typeName,
} from "./values.ts";

/**
 * The type of a parameter. `int` and `float64` are passed as JavaScript numbers. `any`: an absent value is passed as null;
 * `value`: as `undefined`. `dict`: a dictionary of any values, or null.
 */
export type ParameterType = "any" | "value" | "string" | "int" | "float64" | "bool" | "dict" | "time";

/** The parameters of a function. */
export interface Signature {
  readonly fixed: readonly ParameterType[];
  /** The type of all further arguments. */
  readonly rest: ParameterType | undefined;
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
  const fixed = (isOpen ? words.slice(0, -1) : words) as readonly ParameterType[];
  const rest = isOpen ? (last.slice(0, -3) as ParameterType) : undefined;
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
export function parameterAt({ fixed, rest }: Signature, index: number): ParameterType {
  return fixed[index] ?? rest ?? "any";
}

/** Returns an argument as the function receives it. Throws if it does not have the type. */
export function validated(value: TemplateValue, type: ParameterType): unknown {
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

/** A literal as a function receives it, or why it cannot. `undefined`: a number where any type is allowed. */
type LiteralArgument = { readonly value: unknown } | { readonly fault: string } | undefined;

/** Returns the literal of an argument; `undefined` if it is computed, or a number where any type is allowed. */
export function literalArgument(operand: Operand, type: ParameterType): LiteralArgument {
  const isAny = type === "any" || type === "value";
  const wanted = (shown: string): LiteralArgument => ({ fault: `expected ${shownType(type)}, got ${shown}` });
  switch (operand.kind) {
    case "Nil":
      if (!isAny && type !== "dict") return wanted("`nil`");
      return { value: type === "value" ? undefined : null };
    case "Bool":
      return isAny || type === "bool" ? { value: operand.value } : wanted(String(operand.value));
    case "String":
      return isAny || type === "string" ? { value: operand.value } : wanted("a text");
    case "Number": {
      if (isAny) return undefined;
      const { integer, float, text } = operand;
      if (type === "int" && integer !== undefined && integer <= maxInt64) return { value: Number(integer) };
      return type === "float64" && float !== undefined ? { value: float } : wanted(text);
    }
    default:
      return undefined;
  }
}

function shownType(type: ParameterType): string {
  const names = {
    string: "a text",
    int: "an integer",
    float64: "a number",
    bool: "a bool",
    dict: "a dictionary",
    time: "a time",
    any: "a value",
    value: "a value",
  };
  return names[type];
}

/** Returns a method of a value. */
export function methodOf(value: TemplateValue, name: string): TemplateFunction | undefined {
  if (value instanceof Opaque) return value.method(name);
  if (value instanceof SourceNumber) return numberMethod(value, name);
  return value instanceof Timestamp ? timeMethod(value, name) : undefined;
}

function returning(value: () => TemplateValue): TemplateFunction {
  return { takes: "", call: value };
}

/** Returns a method of a number of the message. */
function numberMethod(number: SourceNumber, name: string): TemplateFunction | undefined {
  const text = number.toString();
  switch (name) {
    case "String":
      return returning(() => text);
    case "Int64":
      return returning(() => {
        const value = /^[+-]?[0-9]+$/.test(text) ? integerOfText(text) : undefined;
        if (value === undefined) throw failure(`\`${text}\` is not an int64`);
        return int64(value);
      });
    case "Float64":
      return returning(() => {
        const value = floatOfText(text);
        if (value === undefined) throw failure(`\`${text}\` is out of range`);
        return new Float(value);
      });
    default:
      return undefined;
  }
}

/** Returns a method of a time. */
function timeMethod(time: Timestamp, name: string): TemplateFunction | undefined {
  const parts = () => civilTime(time);
  const nanoseconds = () => time.seconds() * 1_000_000_000n + BigInt(time.nanoseconds());
  switch (name) {
    case "Format":
      return { takes: "string", call: (layout: string) => formatTime(time, layout) };
    case "String":
      return returning(() => formatTime(time, "2006-01-02 15:04:05.999999999 -0700 MST"));
    case "Unix":
      return returning(() => int64(time.seconds()));
    case "UnixMilli":
      return returning(() => int64(nanoseconds() / 1_000_000n));
    case "UnixMicro":
      return returning(() => int64(nanoseconds() / 1000n));
    case "UnixNano":
      return returning(() => int64(nanoseconds()));
    case "Year":
      return returning(() => int(parts().year));
    case "Day":
      return returning(() => int(parts().day));
    case "Hour":
      return returning(() => int(parts().hour));
    case "Minute":
      return returning(() => int(parts().minute));
    case "Second":
      return returning(() => int(parts().second));
    case "Nanosecond":
      return returning(() => int(time.nanoseconds()));
    case "YearDay":
      return returning(() => int(dayOfYear(parts())));
    case "Month":
      return returning(() => formatTime(time, "January"));
    case "Weekday":
      return returning(() => formatTime(time, "Monday"));
    case "UTC":
      return returning(() => new Timestamp(time.seconds(), time.nanoseconds(), "UTC"));
    case "Local":
      return returning(() => new Timestamp(time.seconds(), time.nanoseconds(), zoneNamed("Local")));
    case "IsZero":
      return returning(() => time.seconds() === -62_135_596_800n && time.nanoseconds() === 0);
    default:
      return undefined;
  }
}
