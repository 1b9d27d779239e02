// Methods on numbers and functions that make them; the code is in runtime/mapping/numbers.ts
// and casts.ts.

import { type Builtin, type Details, fn, method, optional, parameter } from "./builtin.ts";

const module = "numbers.ts";
const numeric: Details = { targets: ["number"], returns: "number" };
const plugin: Details = { ...numeric, plugin: true };
const casts = "casts.ts";
const cast: Details = { returns: "number", plugin: true };
const overArray: Details = { targets: ["array"], returns: "number" };

export const numbers: readonly Builtin[] = [
  method(module, "number", "The number a text stands for; a default where it stands for none.", {
    args: [optional("default", "float")],
    returns: "number",
  }),
  method(module, "abs", "The number without its sign.", plugin),
  method(module, "ceil", "The next whole number above.", numeric),
  method(module, "floor", "The next whole number below.", numeric),
  method(module, "round", "The nearest whole number, halves away from zero.", numeric),
  method(module, "pow", "To the power of an exponent.", {
    ...plugin,
    args: [parameter("exponent", "float")],
  }),
  method(module, "log", "The natural logarithm.", numeric),
  method(module, "log10", "The decimal logarithm.", numeric),
  method(module, "sin", "The sine of an angle in radians.", plugin),
  method(module, "cos", "The cosine of an angle in radians.", plugin),
  method(module, "tan", "The tangent of an angle in radians.", plugin),
  method(module, "sum", "The sum of the numbers of an array.", overArray),
  method(module, "max", "The largest number of an array.", overArray),
  method(module, "min", "The smallest number of an array.", overArray),
  method(module, "bitwise_and", "The bits both integers have.", {
    ...numeric,
    args: [parameter("value", "integer")],
  }),
  method(module, "bitwise_or", "The bits either integer has.", {
    ...numeric,
    args: [parameter("value", "integer")],
  }),
  method(module, "bitwise_xor", "The bits one integer has and the other has not.", {
    ...numeric,
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
  method(casts, "float64", "As a floating point number of 64 bits.", cast),
  method(casts, "float32", "As a floating point number of 32 bits.", cast),
  fn(module, "pi", "The ratio of a circle's circumference to its diameter.", {
    returns: "number",
    plugin: true,
  }),
  fn(module, "range", "The integers from a start to a stop, which is left out.", {
    rule: "range",
    args: [parameter("start", "integer"), parameter("stop", "integer"), parameter("step", "integer", 1n)],
    returns: "array",
  }),
  fn("vectors.ts", "cosine_similarity", "How alike two vectors of numbers point, from -1 to 1.", {
    returns: "number",
    plugin: true,
    args: [parameter("a", "any"), parameter("b", "any")],
  }),
  method("decimals.ts", "parse_big_decimal", "The decimal that bytes in two's complement stand for.", {
    targets: ["bytes", "string"],
    returns: "string",
    plugin: true,
    args: [parameter("scale", "integer")],
    rule: "decimalScale",
  }),
];
