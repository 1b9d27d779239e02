import type { Format } from "./format.ts";

/** A number of bytes with a unit: `1MB` is a million of them, `1MiB` 1,048,576. */
export const byteSize: Format = {
  title: "a size",
  pattern: /^\d+(?:\.\d+)? *(?:[kKmMgG](?:[iI]?[bB])?|[bB])?$/,
  faults: [
    [/^-/, "a size cannot be negative"],
    [/,/, "the decimal separator is a point"],
    [/^\d/, "the units are `B`, `kB`, `MB`, `GB`, `KiB`, `MiB` and `GiB`"],
  ],
  otherwise: "it must start with a number",
  example: "1MiB",
};
