// Methods on numbers, and functions that return numbers. They are implemented in runtime/mapping/numbers.ts
// and casts.ts.

import { type Builtin, type Details, fn, listOf, method, optional, parameter } from "./builtin.ts";
import { asNumber, unlessNumberOrDefault } from "./results/conversions.ts";
import { numberLikeTarget, numberOfElements, sumOfElements, unlessSummable } from "./results/numbers.ts";
import { integers } from "./results/shapes.ts";
import { always, unlessLiteral } from "./results/target.ts";

const module = "numbers.ts";
const numeric: Details = { targets: ["number"], returns: "number", canFail: false };
const whole: Details = { ...numeric, returns: "integer" };
const plugin: Details = { ...numeric, plugin: true };
const casts = "casts.ts";
/** The cast fails for a number that does not fit, and for text that is not a number. */
const cast: Details = { targets: ["number", "string", "bytes"], returns: "integer", plugin: true };
const floatCast: Details = { ...cast, returns: "number" };
const overArray: Details = { targets: ["array"], returns: "number", result: numberOfElements };

export const numbers: readonly Builtin[] = [
  method(module, "number", "The number a text stands for; a default where it stands for none.", {
    args: [optional("default", "float")],
    returns: "number",
    result: asNumber,
    fails: unlessNumberOrDefault,
    rescues: true,
  }),
  method(module, "abs", "The number without its sign.", { ...plugin, result: numberLikeTarget }),
  method(module, "ceil", "The next whole number above.", whole),
  method(module, "floor", "The next whole number below.", whole),
  method(module, "round", "The nearest whole number, halves away from zero.", whole),
  method(module, "pow", "To the power of an exponent.", {
    ...plugin,
    args: [parameter("exponent", "float")],
  }),
  method(module, "log", "The natural logarithm.", numeric),
  method(module, "log10", "The decimal logarithm.", numeric),
  method(module, "sin", "The sine of an angle in radians.", plugin),
  method(module, "cos", "The cosine of an angle in radians.", plugin),
  method(module, "tan", "The tangent of an angle in radians.", plugin),
  method(module, "sum", "The sum of the numbers of an array; a number is its own sum.", {
    ...overArray,
    targets: ["array", "number"],
    elements: "float",
    result: sumOfElements,
    fails: unlessSummable,
  }),
  method(module, "max", "The largest number of an array.", { ...overArray, elements: "float" }),
  method(module, "min", "The smallest number of an array.", { ...overArray, elements: "float" }),
  method(module, "bitwise_and", "The bits both integers have.", {
    ...whole,
    args: [parameter("value", "integer")],
  }),
  method(module, "bitwise_or", "The bits either integer has.", {
    ...whole,
    args: [parameter("value", "integer")],
  }),
  method(module, "bitwise_xor", "The bits one integer has and the other has not.", {
    ...whole,
    args: [parameter("value", "integer")],
  }),
  method(casts, "int64", "As a signed integer of 64 bits.", cast),
  method(casts, "int32", "As a signed integer of 32 bits.", cast),
  method(casts, "int16", "As a signed integer of 16 bits.", cast),
  method(casts, "int8", "As a signed integer of 8 bits.", cast),
  method(casts, "uint64", "As an unsigned integer of 64 bits.", cast),
  method(casts, "uint32", "As an unsigned integer of 32 bits.", cast),
  method(casts, "uint16", "As an unsigned integer of 16 bits.", cast),
  method(casts, "uint8", "As an unsigned integer of 8 bits.", cast),
  method(casts, "float64", "As a floating point number of 64 bits.", floatCast),
  method(casts, "float32", "As a floating point number of 32 bits.", floatCast),
  fn(module, "pi", "The ratio of a circle's circumference to its diameter.", {
    returns: "number",
    canFail: false,
    plugin: true,
  }),
  fn(module, "range", "The integers from a start to a stop, which is left out.", {
    rule: "range",
    args: [parameter("start", "integer"), parameter("stop", "integer"), parameter("step", "integer", 1n)],
    returns: "array",
    result: always(integers),
    fails: unlessLiteral,
  }),
  fn("vectors.ts", "cosine_similarity", "How alike two vectors of numbers point, from -1 to 1.", {
    returns: "number",
    plugin: true,
    args: [
      { ...listOf("float", "a"), late: true },
      { ...listOf("float", "b"), late: true },
    ],
  }),
  method("decimals.ts", "parse_big_decimal", "The decimal that bytes in two's complement stand for.", {
    targets: ["bytes", "string", "timestamp"],
    returns: "string",
    plugin: true,
    args: [parameter("scale", "integer")],
    rule: "decimalScale",
  }),
];
