import type { Format } from "./format.ts";

/** A table or a column: parts with dots between them, each plain or in double quotes. */
export const sqlName: Format = {
  title: "the name of a table or column",
  pattern:
    /^(?:[\p{L}_][\p{L}\p{N}_$]*|"[^"\p{Cc}\p{Cs}]+")(?:\.(?:[\p{L}_][\p{L}\p{N}_$]*|"[^"\p{Cc}\p{Cs}]+")){0,2}$/u,
  faults: [],
  otherwise: "it consists of letters, digits and `_`, or stands in double quotes",
  longest: 512,
  example: "shop.orders",
};
