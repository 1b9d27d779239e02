// Methods on numbers, and functions that return numbers. They are implemented in runtime/mapping/numbers.ts
// and casts.ts.

import { type Builtin, type Details, fn, listOf, method, optional, parameter } from "./builtin.ts";
import { asNumber, unlessNumberOrDefault } from "./results/conversions.ts";
import {
  numberLikeTarget,
  numberOfElements,
  sumOfElements,
  unlessSmallRange,
  unlessSummable,
} from "./results/numbers.ts";
import { integers } from "./results/shapes.ts";
import { always } from "./results/target.ts";

const module = "numbers.ts";
const numeric: Details = { targets: ["number"], returns: "number", canFail: false };
const whole: Details = { ...numeric, returns: "integer" };
const casts = "casts.ts";
/** The cast fails for a number that does not fit, and for text that is not a number. */
const cast: Details = { targets: ["number", "string", "bytes"], returns: "integer" };
const floatCast: Details = { ...cast, returns: "number" };
const overArray: Details = { targets: ["array"], returns: "number", result: numberOfElements };

export const numbers: readonly Builtin[] = [
  method(
    module,
    "number",
    "Converts the value to a number. Returns a default, if given, if the value cannot be converted.",
    {
      args: [optional("default", "float")],
      returns: "number",
      result: asNumber,
      fails: unlessNumberOrDefault,
      converts: ["number", "string", "bytes"],
      rescues: true,
    },
  ),
  method(module, "abs", "The absolute value of the number.", { ...numeric, result: numberLikeTarget }),
  method(module, "ceil", "Rounds up to the nearest integer.", whole),
  method(module, "floor", "Rounds down to the nearest integer.", whole),
  method(module, "round", "Rounds to the nearest integer. Halves are rounded away from zero.", whole),
  method(module, "pow", "Raises the number to the power of an exponent.", {
    ...numeric,
    args: [parameter("exponent", "float")],
  }),
  method(module, "log", "The natural logarithm.", numeric),
  method(module, "log10", "The decimal logarithm.", numeric),
  method(module, "sin", "The sine of an angle in radians.", numeric),
  method(module, "cos", "The cosine of an angle in radians.", numeric),
  method(module, "tan", "The tangent of an angle in radians.", numeric),
  method(module, "sum", "The sum of the numbers of an array. Returns a number unchanged.", {
    ...overArray,
    targets: ["array", "number"],
    elements: "float",
    result: sumOfElements,
    fails: unlessSummable,
  }),
  method(module, "max", "The largest number of an array.", { ...overArray, elements: "float" }),
  method(module, "min", "The smallest number of an array.", { ...overArray, elements: "float" }),
  method(module, "bitwise_and", "The bitwise AND of two integers.", {
    ...whole,
    args: [parameter("value", "integer")],
  }),
  method(module, "bitwise_or", "The bitwise OR of two integers.", {
    ...whole,
    args: [parameter("value", "integer")],
  }),
  method(module, "bitwise_xor", "The bitwise XOR of two integers.", {
    ...whole,
    args: [parameter("value", "integer")],
  }),
  method(casts, "int64", "Converts the value to a 64-bit signed integer.", cast),
  method(casts, "int32", "Converts the value to a 32-bit signed integer.", cast),
  method(casts, "int16", "Converts the value to a 16-bit signed integer.", cast),
  method(casts, "int8", "Converts the value to an 8-bit signed integer.", cast),
  method(casts, "uint64", "Converts the value to a 64-bit unsigned integer.", cast),
  method(casts, "uint32", "Converts the value to a 32-bit unsigned integer.", cast),
  method(casts, "uint16", "Converts the value to a 16-bit unsigned integer.", cast),
  method(casts, "uint8", "Converts the value to an 8-bit unsigned integer.", cast),
  method(casts, "float64", "Converts the value to a 64-bit floating-point number.", floatCast),
  method(casts, "float32", "Converts the value to a 32-bit floating-point number.", floatCast),
  fn(module, "pi", "The ratio of a circle's circumference to its diameter.", {
    returns: "number",
    canFail: false,
  }),
  fn(module, "range", "An array of the integers from a start up to, but not including, a stop.", {
    rule: "range",
    args: [parameter("start", "integer"), parameter("stop", "integer"), parameter("step", "integer", 1n)],
    returns: "array",
    result: always(integers),
    fails: unlessSmallRange,
  }),
  fn("vectors.ts", "cosine_similarity", "The cosine similarity of two vectors of numbers, from -1 to 1.", {
    returns: "number",
    args: [
      { ...listOf("float", "a"), late: true },
      { ...listOf("float", "b"), late: true },
    ],
  }),
  method("decimals.ts", "parse_big_decimal", "Converts bytes in two's complement to a decimal number.", {
    targets: ["bytes", "string", "timestamp"],
    returns: "string",
    args: [parameter("scale", "integer")],
    rule: "decimalScale",
  }),
];
