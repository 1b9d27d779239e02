// Methods on text; the code is in runtime/mapping/strings.ts, escapes.ts,
// html.ts and slug.ts.

import { type Builtin, type Details, method, optional, parameter } from "./builtin.ts";

const text: Details = { targets: ["string", "bytes"], returns: "any" };
const test: Details = { targets: ["string", "bytes"], returns: "bool" };

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
    returns: "number",
    args: [parameter("value", "string")],
  }),
  method("strings.ts", "split", "The parts between separators, of text or of an array.", {
    targets: ["string", "bytes", "array"],
    returns: "array",
    args: [parameter("delimiter", "any"), optional("empty_as_null", "bool")],
  }),
  method("strings.ts", "join", "The texts of an array in one, with a text between them.", {
    targets: ["array"],
    returns: "string",
    args: [optional("delimiter", "string")],
  }),
  method("strings.ts", "replace_all", "With each place of one text replaced by another.", {
    ...text,
    args: [parameter("old", "string"), parameter("new", "string")],
  }),
  method("strings.ts", "replace", "The former name of `replace_all`.", {
    ...text,
    args: [parameter("old", "string"), parameter("new", "string")],
    symbol: "replaceAll",
    deprecated: true,
  }),
  method("strings.ts", "replace_all_many", "With several texts replaced in one pass.", {
    ...text,
    args: [parameter("values", "array")],
  }),
  method("strings.ts", "replace_many", "The former name of `replace_all_many`.", {
    ...text,
    args: [parameter("values", "array")],
    symbol: "replaceAllMany",
    deprecated: true,
  }),
  method("strings.ts", "reverse", "Its characters in reverse.", text),
  method("strings.ts", "repeat", "It, several times over.", {
    ...text,
    args: [parameter("count", "integer")],
  }),
  method("format.ts", "format", "The text as a pattern, its verbs filled in with the arguments.", {
    targets: ["string", "bytes"],
    returns: "string",
    variadic: true,
  }),
  method("escapes.ts", "quote", "It between double quotes, with escapes.", { ...text, returns: "string" }),
  method("escapes.ts", "unquote", "What a quoted text stands for.", { ...text, returns: "string" }),
  method("html.ts", "unescape_html", "With the entities of HTML resolved.", text),
  method("html.ts", "strip_html", "Without the tags of HTML, but those of elements to preserve.", {
    ...text,
    args: [optional("preserve", "array")],
  }),
  method("slug.ts", "slug", "As a part of a URL: Latin letters, digits and dashes.", {
    targets: ["string", "bytes"],
    returns: "string",
    plugin: true,
    args: [parameter("lang", "string", "en")],
  }),
  method("escapes.ts", "escape_html", "With the characters HTML reserves written as entities.", text),
  method("escapes.ts", "escape_url_query", "Encoded for the query of a URL.", text),
  method("escapes.ts", "unescape_url_query", "Decoded from the query of a URL.", text),
  method("escapes.ts", "escape_url_path", "Encoded for a segment of the path of a URL.", text),
  method("escapes.ts", "unescape_url_path", "Decoded from the path of a URL.", text),
];
