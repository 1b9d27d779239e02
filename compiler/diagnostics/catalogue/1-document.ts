// Document syntax: files, YAML, JSON, OpenAPI, references.

import { type Span, spanOf } from "../../source/source.ts";
import { entry, type Fix } from "../diagnostic.ts";
import { respell, respellPart } from "../fixes/respell.ts";
import type { Nearest } from "../suggest.ts";
import { openapiEntries } from "./1-openapi.ts";

const bytesOf = (limit: number): string =>
  limit >= 1024 * 1024 && limit % (1024 * 1024) === 0 ? `${limit / (1024 * 1024)} MB` : `${limit} bytes`;

const fileEntries = {
  GW1001: entry<{ path: string; closest: string | undefined }>({
    slug: "file-not-found",
    severity: "error",
    message: (d) => `The file \`${d.path}\` does not exist.`,
    hint: (d) =>
      d.closest === undefined ? "Correct the path, or create the file." : `Did you mean \`${d.closest}\`?`,
    // Paths are relative to the document, and the most similar file is in the folder that was named.
    fix: (d, span) => respellPart(span, nameIn(d.path), d.closest && nameIn(d.closest)),
  }),
  GW1002: entry<{ path: string; reason: "folder" | "permission" | "other"; text: string }>({
    slug: "file-not-readable",
    severity: "error",
    message: (d) => {
      if (d.reason === "folder") return `\`${d.path}\` is a folder, not a document.`;
      if (d.reason === "permission") return `No permission to read the file \`${d.path}\`.`;
      return `The file \`${d.path}\` cannot be read: ${d.text}.`;
    },
    hint: (d) => {
      if (d.reason === "folder") return `Name the documents in it, such as \`${d.path}/*.yaml\`.`;
      return d.reason === "permission" ? "Change the permissions of the file." : undefined;
    },
  }),
  GW1003: entry<{ path: string; limit: number }>({
    slug: "file-too-large",
    severity: "error",
    message: (d) => `The file \`${d.path}\` is larger than ${bytesOf(d.limit)}.`,
    hint: () => "Split the document, and join the parts with `$ref`.",
  }),
  GW1004: entry<{ byte: number }>({
    slug: "not-utf-8",
    severity: "error",
    message: (d) => `The byte 0x${d.byte.toString(16).padStart(2, "0")} is not valid UTF-8.`,
    hint: () => "Save the file as UTF-8.",
  }),
  GW1005: entry<{ code: number; isWide?: boolean }>({
    slug: "control-character",
    severity: "error",
    message: (d) => `Unexpected control character U+${d.code.toString(16).toUpperCase().padStart(4, "0")}.`,
    hint: (d) =>
      d.isWide === true
        ? "Save the file as UTF-8. It looks like UTF-16."
        : 'Remove it, or write it as an escape in double quotes, such as `"\\x00"`.',
  }),
  GW1006: entry<{ path: string }>({
    slug: "empty-document",
    severity: "error",
    message: (d) => `The document \`${d.path}\` is empty.`,
    hint: () => "Write an OpenAPI document, or remove the file.",
  }),
  GW1007: entry<{ limit: number }>({
    slug: "too-deep",
    severity: "error",
    message: (d) => `Values are nested more than ${d.limit} levels deep.`,
    hint: () => "Divide the value, or the component, into several that are not inside each other.",
  }),
  GW1009: entry<{ path: string }>({
    slug: "file-listed-twice",
    severity: "warning",
    message: (d) => `The file \`${d.path}\` is listed twice.`,
    hint: () => "Remove one of the two, or name the file that was meant.",
  }),
  GW1008: entry<{ pattern: string }>({
    slug: "pattern-without-match",
    severity: "error",
    message: (d) => `No file matches the pattern \`${d.pattern}\`.`,
    hint: () => "Correct the pattern. It is relative to the file that contains it.",
  }),
  GW1022: entry<Record<never, never>>({
    slug: "set-without-documents",
    severity: "warning",
    message: () => "The set has no documents: its gateway serves nothing.",
    hint: () => "Name them: `apis: [orders.yaml]`. If there are none yet, write `apis: []`.",
  }),
};

function nameIn(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

type Closest = string | undefined;

const didYouMean = (closest: Closest): string | undefined => closest && `Did you mean \`${closest}\`?`;

/** Puts quotes around a text that YAML does not read as one; not around what may be meant as a nested object. */
function quoteValue(problem: string, { source, start, end }: Span): Fix | undefined {
  const isWhole = problem === "BRACKET_IN_TEXT";
  if (!isWhole && problem !== "BLOCK_AS_IMPLICIT_KEY") return undefined;
  const rest = source.text.slice(start, start + longestValue).split(/\r?\n/, 1)[0] ?? "";
  const text = isWhole ? source.text.slice(start, end) : rest.trimEnd();
  const isCertain = text.length < longestValue && !/^["'[{&*!|>]|^[\w.-]+:(?:\s|$)|\s#|[\r\n]/.test(text);
  const before = source.text.slice(Math.max(0, start - 100), start);
  if (!isCertain || !/:[ \t]+$/.test(before)) return undefined;
  const quoted = quoteYaml(text);
  const edit = {
    span: spanOf(source, start, start + text.length),
    text: quoted,
    language: "document" as const,
  };
  return { title: "Quote the string.", isSafe: false, edits: [edit] };
}

/** Longer values in one line are not quoted. */
const longestValue = 2000;

const syntaxEntries = {
  GW1010: entry<{ problem: string; text: string; written: string }>({
    slug: "yaml-syntax",
    severity: "error",
    message: (d) => yamlProblems[d.problem]?.[0] ?? `Malformed YAML: ${d.text}.`,
    hint: (d) =>
      d.problem === "BRACKET_IN_TEXT"
        ? `Quote it: \`${quoteYaml(d.written)}\`.`
        : (yamlProblems[d.problem]?.[1] ??
          "Check the indentation, and close brackets and quotes before this place."),
    fix: (d, span) => quoteValue(d.problem, span),
  }),
  GW1011: entry<Record<never, never>>({
    slug: "tab-indentation",
    severity: "error",
    message: () => "YAML lines cannot be indented with tabs.",
    hint: () => "Replace the tab with spaces.",
  }),
  GW1012: entry<{ key: string }>({
    slug: "duplicate-key",
    severity: "error",
    message: (d) => `Duplicate key \`${d.key}\`.`,
    hint: () => "Remove or rename one of the two.",
  }),
  GW1013: entry<Record<never, never>>({
    slug: "several-documents",
    severity: "error",
    message: () => "The file contains more than one YAML document.",
    hint: () => "Move each document to its own file.",
  }),
  GW1014: entry<{ name: string } & Nearest>({
    slug: "unknown-anchor",
    severity: "error",
    message: (d) => `Unknown anchor \`${d.name}\`: no \`&${d.name}\` precedes this alias.`,
    hint: (d) =>
      d.closest === undefined
        ? "Add the anchor, or quote the text if it is not an alias."
        : `Did you mean \`*${d.closest}\`?`,
    fix: (d, span) => respell(span, d.name, d),
  }),
  GW1015: entry<{ limit: number; what?: "components" }>({
    slug: "too-much-expansion",
    severity: "error",
    message: (d) => `Aliases and references expand to more than ${d.limit} ${d.what ?? "values"}.`,
    hint: (d) =>
      d.what === undefined
        ? "Write the repeated part once, without aliases inside aliases."
        : "Use fewer resources inside other resources.",
  }),
  GW1016: entry<{ isPlaceholder: boolean }>({
    slug: "document-key-not-text",
    severity: "error",
    message: () => "A key must be a string, not an array or an object.",
    hint: (d) =>
      d.isPlaceholder
        ? "Read a value from the environment with `${NAME}`; `{{ … }}` is not replaced."
        : "Quote the key if it is meant as a string.",
  }),
  GW1017: entry<Record<never, never>>({
    slug: "merge-not-an-object",
    severity: "error",
    message: () => "`<<` merges objects, but this value is not an object.",
    hint: () => "Use an alias of an object, or an array of them, such as `<<: *defaults`.",
  }),
  GW1018: entry<{ tag: string }>({
    slug: "unsupported-tag",
    severity: "error",
    message: (d) => `The YAML tag \`${d.tag}\` is not supported.`,
    hint: () => "Remove the tag, and write a value that JSON can represent.",
  }),
  GW1019: entry<{ name: string }>({
    slug: "alias-inside-itself",
    severity: "error",
    message: (d) => `The alias \`*${d.name}\` is inside the value that it refers to.`,
    hint: (d) => `Move \`&${d.name}\` to a value that does not contain the alias.`,
  }),
  GW1020: entry<{ written: string }>({
    slug: "no-json-number",
    severity: "error",
    message: (d) => `JSON has no number \`${d.written}\`.`,
    hint: () => "Write a finite number, or quote it if it is meant as a string.",
  }),
  GW1021: entry<{ problem: JsonProblem }>({
    slug: "json-syntax",
    severity: "error",
    message: (d) => jsonProblems[d.problem][0],
    hint: (d) => jsonProblems[d.problem][1],
  }),
};

const quoteYaml = (text: string): string =>
  text.includes('"') ? `'${text.replaceAll("'", "''")}'` : `"${text.replaceAll("\\", "\\\\")}"`;

/** By the codes of the YAML reader and more specific codes that the compiler derives from them. */
const yamlProblems: Readonly<Record<string, readonly [message: string, hint: string]>> = {
  BARE_REFERENCE: [
    "`${…}` must be quoted inside `{ }` and `[ ]`.",
    "Quote the value, or write the object or array as a block, one entry per line.",
  ],
  UNCLOSED_QUOTE: ["This quote is not closed.", "Add the closing quote."],
  BAD_DQ_ESCAPE: [
    "Unknown escape in a double-quoted YAML string.",
    "Double the backslash, or use single quotes or a `|` block.",
  ],
  BAD_INDENT: [
    "The indentation does not match the lines above.",
    "Align the line with its siblings, and close brackets and quotes before it.",
  ],
  BAD_SCALAR_START: ["An unquoted YAML string cannot start with this character.", "Quote the string."],
  BLOCK_AS_IMPLICIT_KEY: [
    "A line contains a second `: `.",
    "Quote the string, or write the nested object on its own lines.",
  ],
  INDENTED_TOO_FAR: ["This line is indented more than its siblings.", "Align it with the line above."],
  ITEM_AMONG_KEYS: [
    "Expected a key here, found a list item.",
    "Remove the dash, or put the items below a key.",
  ],
  MULTILINE_IMPLICIT_KEY: [
    "Expected a key followed by `:`.",
    "Add `:` after the key, or indent the line if it continues the value above.",
  ],
  DEDENTED_LINE: [
    "This line is indented less than the `|` block above it.",
    "Indent it like the other lines of the block.",
  ],
  TEMPLATE: [
    "This is a statement of a template engine, which is not YAML.",
    "Render the template first, and check its result.",
  ],
  BRACKET_IN_TEXT: ["Text that contains brackets must be quoted inside `{ }` and `[ ]`.", "Quote the text."],
  COLON_WITHOUT_SPACE: ["Missing space after `:`.", "Add a space between `:` and the value."],
  BLOCK_IN_FLOW: [
    "Inside `{ }` and `[ ]`, entries need commas and nested objects need brackets.",
    "Add the missing `,` or brackets, or quote the text.",
  ],
  UNCLOSED_BRACKET: [
    "Expected a closing bracket before this.",
    "Close the bracket, and indent its lines more than the key before it.",
  ],
  UNOPENED_BRACKET: ["This bracket closes nothing.", "Remove it, or add the opening bracket."],
  EXTRA_COMMA: ["Unexpected `,`.", "Remove the comma, or add the missing entry."],
  MISSING_COMMA: ["Missing `,` between two entries.", "Add `,`, or quote the text."],
  TEXT_AFTER_VALUE: [
    "Unexpected text after the value.",
    "Remove it, or quote the complete value. Inside single quotes, write `''` for a quote.",
  ],
  TEXT_AFTER_PIPE: [
    "The text of a `|` block cannot start on the line of the `|`.",
    "Move it to the next line, and indent it.",
  ],
  BAD_ALIAS: ["`*` and `&` start an alias and an anchor in YAML.", "Add a name, or quote the text."],
  BAD_DIRECTIVE: [
    "A line that starts with `%` is a YAML directive, which `---` must follow.",
    "Remove the directive, or quote the text.",
  ],
  ALIAS_PROPS: ["An alias cannot have an anchor or a tag.", "Remove the anchor or the tag."],
  BAD_PROP_ORDER: ["An anchor or a tag stands before its indicator.", "Write it after the `-`, `?` or `:`."],
  MULTIPLE_ANCHORS: ["This value has two anchors.", "Remove one of them."],
  MULTIPLE_TAGS: ["This value has two tags.", "Remove one of them."],
  COMMENT_WITHOUT_SPACE: ["Missing space before `#`.", "Add a space, or quote the text."],
  PROPERTY_WITHOUT_SPACE: ["Missing space after a tag or an anchor.", "Add a space, or quote the text."],
  ITEM_WITHOUT_DASH: ["Expected a list item.", "Start the line with `- `."],
  KEY_OVER_1024_CHARS: ["A key is longer than 1024 characters.", "Shorten the key."],
};

/** The kinds of JSON syntax errors. */
export type JsonProblem =
  | "comment"
  | "trailing-comma"
  | "missing-comma"
  | "missing-colon"
  | "missing-value"
  | "missing-key"
  | "unclosed-string"
  | "unclosed-bracket"
  | "control-character"
  | "bad-escape"
  | "bad-literal"
  | "bad-word"
  | "bad-number"
  | "extra-text";

const jsonProblems: Readonly<Record<JsonProblem, readonly [message: string, hint: string]>> = {
  comment: ["JSON has no comments.", "Remove the comment, or write the document as YAML."],
  "trailing-comma": ["Trailing comma before a closing bracket.", "Remove the comma."],
  "missing-comma": ["Missing comma between two entries.", "Add `,` before this."],
  "missing-colon": ["Missing colon after the key.", "Add `:` between the key and its value."],
  "missing-value": ["Missing value.", "Add the value."],
  "missing-key": ["Missing key in double quotes.", 'Write entries as `"key": value`.'],
  "unclosed-string": ["This string is not closed on its line.", 'Add the closing `"`.'],
  "unclosed-bracket": ["This bracket is not closed.", "Add the closing bracket."],
  "control-character": [
    "A string contains a raw control character.",
    "Write it as an escape, such as `\\t`.",
  ],
  "bad-escape": ["Unknown escape in a JSON string.", "Write `\\\\` for a backslash."],
  "bad-literal": ["Unknown JSON literal.", "Write `true`, `false` or `null`."],
  "bad-word": ["Expected a JSON value.", "Put strings in double quotes."],
  "bad-number": ["Malformed JSON number.", "Write digits, without leading zeros or signs other than `-`."],
  "extra-text": ["Unexpected text after the end of the document.", "Remove the text after the last bracket."],
};

const referenceEntries = {
  GW1030: entry<{ reference: string; missing: string; closest: Closest }>({
    slug: "broken-reference",
    severity: "error",
    message: (d) =>
      d.missing === ""
        ? `The reference \`${d.reference}\` does not resolve: it has an empty key.`
        : `The reference \`${d.reference}\` does not resolve: \`${d.missing}\` does not exist.`,
    hint: (d) =>
      d.missing === ""
        ? "Write a key after each `/`, or remove the last `/`."
        : (didYouMean(d.closest) ?? `Correct the reference, or add \`${d.missing}\`.`),
    fix: (d, span) => respellPart(span, d.missing, d.closest),
  }),
  GW1031: entry<{ reference: string }>({
    slug: "remote-reference",
    severity: "error",
    message: (d) => `The reference \`${d.reference}\` points to the network.`,
    hint: () => "Download the file and refer to it by a relative path.",
  }),
  GW1032: entry<{ reference: string }>({
    slug: "reference-cycle",
    severity: "error",
    message: (d) => `The reference \`${d.reference}\` is circular.`,
    hint: () => "Replace one reference of the cycle with the value itself.",
  }),
  GW1033: entry<{ reference: string }>({
    slug: "malformed-reference",
    severity: "error",
    message: (d) => `Malformed reference \`${d.reference}\`.`,
    hint: () => "Write `#/path/to/value` or `file.yaml#/path/to/value`, with `~1` for `/` in a key.",
  }),
  GW1034: entry<{ reference: string }>({
    slug: "file-reference-refused",
    severity: "error",
    message: (d) => `The reference \`${d.reference}\` names a file, and this document may not read files.`,
    hint: () => "Move the referenced value into the document.",
  }),
  GW1035: entry<{ file: string | undefined; reason: string }>({
    slug: "invalid-protobuf-schema",
    severity: "error",
    message: (d) =>
      d.file === undefined
        ? `The schema of Protocol Buffers cannot be read: ${d.reason}.`
        : `The schema of Protocol Buffers cannot be read: \`${d.file}\`: ${d.reason}.`,
    hint: () => "Name folders whose `.proto` files define every type that they use.",
  }),
};

export const documentEntries = {
  ...fileEntries,
  ...syntaxEntries,
  ...referenceEntries,
  ...openapiEntries,
};
