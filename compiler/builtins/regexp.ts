// Methods by regular expressions; the code is in runtime/mapping/regexp.ts.

import { arrayOf } from "../value-types/type.ts";
import { type Builtin, type Details, method, parameter } from "./builtin.ts";
import { groupsByName, texts } from "./results/shapes.ts";
import { always, unlessLiteral } from "./results/target.ts";

const module = "regexp.ts";
const search: Details = {
  targets: ["string", "bytes"],
  args: [parameter("pattern", "string")],
  rule: "pattern",
  // A computed pattern may be none.
  fails: unlessLiteral,
};
const replacement: Details = {
  ...search,
  args: [parameter("pattern", "string"), parameter("value", "string")],
  returns: "string",
};

export const regexp: readonly Builtin[] = [
  method(module, "re_match", "Whether a pattern matches somewhere.", { ...search, returns: "bool" }),
  method(module, "re_find_all", "The texts that match a pattern.", {
    ...search,
    returns: "array",
    result: always(texts),
  }),
  method(module, "re_find_all_submatch", "For each match an array of it and its groups.", {
    ...search,
    returns: "array",
    result: always(arrayOf(texts)),
  }),
  method(module, "re_find_object", "The first match and its groups by name or number.", {
    ...search,
    returns: "object",
    result: groupsByName,
  }),
  method(module, "re_find_all_object", "Each match and its groups by name or number.", {
    ...search,
    returns: "array",
    result: (call) => arrayOf(groupsByName(call)),
  }),
  method(module, "re_replace_all", "With each match replaced by a text that may name groups.", replacement),
  method(module, "re_replace", "The former name of `re_replace_all`.", {
    ...replacement,
    successor: { name: "re_replace_all", same: "always" },
  }),
];
