import type { Format } from "./format.ts";

/** A boolean computed from a message, in the spellings of the reference engine. */
export const truth: Format = {
  title: "a boolean",
  pattern: /^(?:1|0|t|f|T|F|true|false|TRUE|FALSE|True|False)$/,
  faults: [],
  otherwise: "it must be `true` or `false`",
  example: "true",
};
