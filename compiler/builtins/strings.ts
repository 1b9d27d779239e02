// Methods on text. They are implemented in runtime/mapping/strings.ts, escapes.ts, html.ts, slug.ts and regexp.ts.

import { arrayOf } from "../value-types/type.ts";
import { type Builtin, type Details, listOf, method, optional, parameter } from "./builtin.ts";
import { splitParts, unlessArgumentTexts, unlessJoinable, unlessSeparatorFits } from "./results/elements.ts";
import { groupsByName, texts } from "./results/shapes.ts";
import { always, textLikeTarget, unlessLiteral } from "./results/target.ts";

const regexpModule = "regexp.ts";

const search: Details = {
  targets: ["string", "bytes"],
  args: [parameter("pattern", "string")],
  rule: "pattern",
  // A computed pattern may be invalid.
  fails: unlessLiteral,
};

const replacement: Details = {
  ...search,
  args: [parameter("pattern", "string"), parameter("value", "string")],
  returns: "string",
};

export const regexp: readonly Builtin[] = [
  method(regexpModule, "re_match", "Whether a pattern matches somewhere.", { ...search, returns: "bool" }),
  method(regexpModule, "re_find_all", "The texts that match a pattern.", {
    ...search,
    returns: "array",
    result: always(texts),
  }),
  method(regexpModule, "re_find_all_submatch", "For each match an array of it and its groups.", {
    ...search,
    returns: "array",
    result: always(arrayOf(texts)),
  }),
  method(regexpModule, "re_find_object", "The first match and its groups by name or number.", {
    ...search,
    returns: "object",
    result: groupsByName,
  }),
  method(regexpModule, "re_find_all_object", "Each match and its groups by name or number.", {
    ...search,
    returns: "array",
    result: (call) => arrayOf(groupsByName(call)),
  }),
  method(
    regexpModule,
    "re_replace_all",
    "With each match replaced by a text that may name groups.",
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
  method("strings.ts", "uppercase", "All letters in upper case.", text),
  method("strings.ts", "lowercase", "All letters in lower case.", text),
  method("strings.ts", "capitalize", "The first letter of each word in upper, the rest in lower case.", text),
  method("strings.ts", "trim", "Without blanks, or characters of a set, at both ends.", {
    ...text,
    args: [optional("cutset", "string")],
  }),
  method("strings.ts", "trim_prefix", "Without a text at the start.", {
    ...text,
    args: [parameter("prefix", "string")],
  }),
  method("strings.ts", "trim_suffix", "Without a text at the end.", {
    ...text,
    args: [parameter("suffix", "string")],
  }),
  method("strings.ts", "has_prefix", "Whether it starts with a text.", {
    ...test,
    args: [parameter("value", "string")],
  }),
  method("strings.ts", "has_suffix", "Whether it ends with a text.", {
    ...test,
    args: [parameter("value", "string")],
  }),
  method("strings.ts", "index_of", "The byte at which a text first stands, -1 where it does not.", {
    targets: ["string", "bytes"],
    returns: "integer",
    canFail: false,
    args: [parameter("value", "string")],
  }),
  method("strings.ts", "split", "The parts between separators, of text or of an array.", {
    targets: ["string", "bytes", "array"],
    returns: "array",
    args: [{ ...parameter("delimiter", "any"), textForText: true }, optional("empty_as_null", "bool")],
    result: splitParts,
    fails: unlessSeparatorFits,
  }),
  method("strings.ts", "join", "The texts of an array in one, with a text between them.", {
    targets: ["array"],
    elements: "string",
    returns: "string",
    args: [optional("delimiter", "string")],
    fails: unlessJoinable,
  }),
  method("strings.ts", "replace_all", "With each place of one text replaced by another.", {
    ...text,
    args: [parameter("old", "string"), parameter("new", "string")],
  }),
  method("strings.ts", "replace", "The former name of `replace_all`.", {
    ...text,
    args: [parameter("old", "string"), parameter("new", "string")],
    successor: { name: "replace_all", same: "always" },
  }),
  method("strings.ts", "replace_all_many", "With several texts replaced in one pass.", {
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
  method("strings.ts", "reverse", "Its characters in reverse.", text),
  method("strings.ts", "repeat", "It, several times over.", {
    ...text,
    args: [parameter("count", "integer")],
    // It fails if the result would exceed the maximum length of a text.
    canFail: true,
  }),
  method("format.ts", "format", "The text as a pattern, its verbs filled in with the arguments.", {
    targets: ["string", "bytes", "timestamp"],
    returns: "string",
    canFail: false,
    variadic: true,
  }),
  method("escapes.ts", "quote", "It between double quotes, with escapes.", spelled),
  method("escapes.ts", "unquote", "What a quoted text stands for.", {
    targets: ["string", "bytes"],
    returns: "string",
  }),
  method("html.ts", "unescape_html", "With the entities of HTML resolved.", spelled),
  method("html.ts", "strip_html", "Without the tags of HTML, but those of elements to preserve.", {
    ...text,
    args: [{ ...listOf("string", "preserve"), optional: true }],
    rule: "preserved",
    canFail: true,
    fails: unlessArgumentTexts,
  }),
  method("slug.ts", "slug", "As a part of a URL: Latin letters, digits and dashes.", {
    targets: ["string", "bytes", "timestamp"],
    returns: "string",
    canFail: false,
    plugin: true,
    args: [parameter("lang", "string", "en")],
  }),
  method("escapes.ts", "escape_html", "With the characters HTML reserves written as entities.", spelled),
  method("escapes.ts", "escape_url_query", "Encoded for the query of a URL.", spelled),
  method("escapes.ts", "unescape_url_query", "Decoded from the query of a URL.", decoded),
  method("escapes.ts", "escape_url_path", "Encoded for a segment of the path of a URL.", spelled),
  method("escapes.ts", "unescape_url_path", "Decoded from the path of a URL.", decoded),
];
