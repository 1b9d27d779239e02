// Methods on text. They are implemented in runtime/mapping/strings.ts, escapes.ts, html.ts, slug.ts and regexp.ts.

import { arrayOf } from "../value-types/type.ts";
import { type Builtin, type Details, listOf, method, optional, parameter } from "./builtin.ts";
import { splitParts, unlessArgumentTexts, unlessSeparatorFits, unlessTexts } from "./results/elements.ts";
import { groupsByName, texts } from "./results/shapes.ts";
import { always, textLikeTarget, unlessConstant } from "./results/target.ts";

const regexpModule = "regexp.ts";

const search: Details = {
  targets: ["string", "bytes"],
  args: [parameter("pattern", "string")],
  rule: "pattern",
  // A computed pattern may be invalid.
  fails: unlessConstant,
};

const replacement: Details = {
  ...search,
  args: [parameter("pattern", "string"), parameter("value", "string")],
  returns: "string",
};

export const regexp: readonly Builtin[] = [
  method(regexpModule, "re_match", "Whether a regular expression matches anywhere in the string.", {
    ...search,
    returns: "bool",
  }),
  method(regexpModule, "re_find_all", "An array of all matches of a regular expression.", {
    ...search,
    returns: "array",
    result: always(texts),
  }),
  method(
    regexpModule,
    "re_find_all_submatch",
    "An array for each match of a regular expression, with the match and its groups.",
    {
      ...search,
      returns: "array",
      result: always(arrayOf(texts)),
    },
  ),
  method(
    regexpModule,
    "re_find_object",
    "An object of the first match of a regular expression and its groups, by name or number.",
    {
      ...search,
      returns: "object",
      result: groupsByName,
    },
  ),
  method(
    regexpModule,
    "re_find_all_object",
    "An object for each match of a regular expression, with the match and its groups by name or number.",
    {
      ...search,
      returns: "array",
      result: (call) => arrayOf(groupsByName(call)),
    },
  ),
  method(
    regexpModule,
    "re_replace_all",
    "Replaces each match of a regular expression with a string that can reference groups.",
    replacement,
  ),
  method(regexpModule, "re_replace", "The former name of `re_replace_all`.", {
    ...replacement,
    successor: { name: "re_replace_all", same: "always" },
  }),
];

/** Methods that return text for text, and bytes for bytes. */
const text: Details = { targets: ["string", "bytes"], result: textLikeTarget, canFail: false };
/** Methods that return text for any text, including the text of timestamps. */
const spelled: Details = { targets: ["string", "bytes", "timestamp"], returns: "string", canFail: false };
/** Like `spelled`, for input that may be malformed. */
const decoded: Details = { ...spelled, canFail: true };
const test: Details = { targets: ["string", "bytes"], returns: "bool", canFail: false };

export const strings: readonly Builtin[] = [
  method("strings.ts", "uppercase", "Converts all letters to upper case.", text),
  method("strings.ts", "lowercase", "Converts all letters to lower case.", text),
  method(
    "strings.ts",
    "capitalize",
    "Converts the first letter of each word to upper case and the rest to lower case.",
    text,
  ),
  method("strings.ts", "trim", "Removes whitespace, or the characters of a set, from both ends.", {
    ...text,
    args: [optional("cutset", "string")],
  }),
  method("strings.ts", "trim_prefix", "Removes a prefix.", {
    ...text,
    args: [parameter("prefix", "string")],
  }),
  method("strings.ts", "trim_suffix", "Removes a suffix.", {
    ...text,
    args: [parameter("suffix", "string")],
  }),
  method("strings.ts", "has_prefix", "Whether the string starts with a prefix.", {
    ...test,
    args: [parameter("value", "string")],
  }),
  method("strings.ts", "has_suffix", "Whether the string ends with a suffix.", {
    ...test,
    args: [parameter("value", "string")],
  }),
  method(
    "strings.ts",
    "index_of",
    "The byte index of the first occurrence of a string, or -1 if there is none.",
    {
      targets: ["string", "bytes"],
      returns: "integer",
      canFail: false,
      args: [parameter("value", "string")],
    },
  ),
  method("strings.ts", "split", "Splits a string or an array at each delimiter.", {
    targets: ["string", "bytes", "array"],
    returns: "array",
    args: [{ ...parameter("delimiter", "any"), textForText: true }, optional("empty_as_null", "bool")],
    result: splitParts,
    fails: unlessSeparatorFits,
  }),
  method("strings.ts", "join", "Joins the strings of an array, with a delimiter between them.", {
    targets: ["array"],
    elements: "string",
    returns: "string",
    args: [optional("delimiter", "string")],
    fails: unlessTexts,
  }),
  method("strings.ts", "replace_all", "Replaces each occurrence of one string with another.", {
    ...text,
    args: [parameter("old", "string"), parameter("new", "string")],
  }),
  method("strings.ts", "replace", "The former name of `replace_all`.", {
    ...text,
    args: [parameter("old", "string"), parameter("new", "string")],
    successor: { name: "replace_all", same: "always" },
  }),
  method("strings.ts", "replace_all_many", "Replaces the occurrences of several strings in one pass.", {
    ...text,
    canFail: true,
    args: [listOf("string", "values")],
    rule: "pairs",
  }),
  method("strings.ts", "replace_many", "The former name of `replace_all_many`.", {
    ...text,
    canFail: true,
    args: [listOf("string", "values")],
    rule: "pairs",
    successor: { name: "replace_all_many", same: "always" },
  }),
  method("strings.ts", "reverse", "Reverses the characters.", text),
  method("strings.ts", "repeat", "Repeats the string a number of times.", {
    ...text,
    args: [parameter("count", "integer")],
    // It fails if the result would exceed the maximum length of a text.
    canFail: true,
  }),
  method(
    "format.ts",
    "format",
    "Formats the arguments with the string as the format: each verb is replaced with an argument.",
    {
      targets: ["string", "bytes", "timestamp"],
      returns: "string",
      canFail: false,
      variadic: true,
    },
  ),
  method(
    "escapes.ts",
    "quote",
    "Encloses the string in double quotes and escapes its special characters.",
    spelled,
  ),
  method("escapes.ts", "unquote", "Removes the quotes of a quoted string and resolves its escapes.", {
    targets: ["string", "bytes"],
    returns: "string",
  }),
  method("html.ts", "unescape_html", "Replaces HTML entities with their characters.", spelled),
  method("html.ts", "strip_html", "Removes HTML tags, except those of the elements to preserve.", {
    ...text,
    args: [{ ...listOf("string", "preserve"), optional: true }],
    rule: "preserved",
    canFail: true,
    fails: unlessArgumentTexts,
  }),
  method("slug.ts", "slug", "Converts the string to a URL slug of Latin letters, digits and dashes.", {
    targets: ["string", "bytes", "timestamp"],
    returns: "string",
    canFail: false,
    args: [parameter("lang", "string", "en")],
  }),
  method("escapes.ts", "escape_html", "Replaces the reserved characters of HTML with entities.", spelled),
  method("escapes.ts", "escape_url_query", "Encodes the string for the query of a URL.", spelled),
  method("escapes.ts", "unescape_url_query", "Decodes a string from the query of a URL.", decoded),
  method("escapes.ts", "escape_url_path", "Encodes the string for a path segment of a URL.", spelled),
  method("escapes.ts", "unescape_url_path", "Decodes a string from the path of a URL.", decoded),
];
