import type { Format } from "./format.ts";

/** A yes or no computed from a message, in the spellings of the reference engine. */
export const truth: Format = {
  title: "a truth value",
  pattern: /^(?:1|0|t|f|T|F|true|false|TRUE|FALSE|True|False)$/,
  faults: [],
  otherwise: "it has to say `true` or `false`",
  example: "true",
};
