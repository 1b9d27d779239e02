// Document syntax: files, YAML, JSON, OpenAPI, references.

import { entry } from "../diagnostic.ts";
import { respell } from "../fixes/respell.ts";
import type { Nearest } from "../suggest.ts";
import { fileEntries } from "./1-files.ts";
import { openapiEntries } from "./1-openapi.ts";

type Closest = string | undefined;

const didYouMean = (closest: Closest): string | undefined => closest && `Did you mean \`${closest}\`?`;

const syntaxEntries = {
  GW1010: entry<{ problem: string; text: string }>({
    slug: "yaml-syntax",
    severity: "error",
    message: (d) => yamlProblems[d.problem]?.[0] ?? `This is no YAML: ${d.text}.`,
    hint: (d) => yamlProblems[d.problem]?.[1],
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
    message: (d) => `The key \`${d.key}\` is written twice in one object.`,
    hint: () => "Remove one of the two, or rename it.",
  }),
  GW1013: entry<Record<never, never>>({
    slug: "several-documents",
    severity: "error",
    message: () => "The file holds more than one YAML document.",
    hint: () => "Give each document a file of its own.",
  }),
  GW1014: entry<{ name: string } & Nearest>({
    slug: "unknown-anchor",
    severity: "error",
    message: (d) => `No anchor \`&${d.name}\` stands above this alias.`,
    hint: (d) => d.closest && `Did you mean \`*${d.closest}\`?`,
    fix: (d, span) => respell(span, d.name, d),
  }),
  GW1015: entry<{ limit: number }>({
    slug: "too-much-expansion",
    severity: "error",
    message: (d) => `Aliases and references repeat more than ${d.limit} values.`,
    hint: () => "Write the repeated part once, without aliases inside aliases.",
  }),
  GW1016: entry<Record<never, never>>({
    slug: "document-key-not-text",
    severity: "error",
    message: () => "A key must be text, not a list or an object.",
    hint: () => "Put quotes around the key if it was meant as text.",
  }),
  GW1017: entry<Record<never, never>>({
    slug: "merge-not-an-object",
    severity: "error",
    message: () => "`<<` merges objects, and this is none.",
    hint: () => "Name an object, or a list of objects, such as `<<: *defaults`.",
  }),
  GW1018: entry<{ tag: string }>({
    slug: "unsupported-tag",
    severity: "error",
    message: (d) => `The YAML tag \`${d.tag}\` has no meaning here.`,
    hint: () => "Remove the tag, and write the value as JSON could hold it.",
  }),
  GW1019: entry<{ name: string }>({
    slug: "alias-inside-itself",
    severity: "error",
    message: (d) => `The alias \`*${d.name}\` stands inside the value it repeats.`,
    hint: (d) => `Move \`&${d.name}\` to a value that does not contain the alias.`,
  }),
  GW1020: entry<{ written: string }>({
    slug: "no-json-number",
    severity: "error",
    message: (d) => `\`${d.written}\` is a number that JSON does not have.`,
    hint: () => "Write a finite number, or put it in quotes if text was meant.",
  }),
  GW1021: entry<{ problem: JsonProblem }>({
    slug: "json-syntax",
    severity: "error",
    message: (d) => jsonProblems[d.problem][0],
    hint: (d) => jsonProblems[d.problem][1],
  }),
};

/** By the codes of the YAML reader; `UNCLOSED_QUOTE` is ours. */
const yamlProblems: Readonly<Record<string, readonly [message: string, hint?: string]>> = {
  BARE_REFERENCE: [
    "`${…}` has to be quoted between YAML's own brackets.",
    "Put the text in quotes, or write the brackets' content on lines of its own.",
  ],
  UNCLOSED_QUOTE: ["This quote is never closed.", "Add the closing quote."],
  BAD_DQ_ESCAPE: [
    "Double-quoted YAML text has no such escape.",
    "Double the backslash, or use single quotes or a `|` block.",
  ],
  BAD_INDENT: [
    "The indentation does not fit the lines above.",
    "Align the line with its siblings, and close open brackets and quotes before it.",
  ],
  BAD_SCALAR_START: ["Text cannot begin with this character in YAML.", "Put the text in quotes."],
  BLOCK_AS_IMPLICIT_KEY: [
    "A second `: ` stands on one line.",
    "Put the text in quotes, or the nested object on lines of its own.",
  ],
  INDENTED_TOO_FAR: ["This line is indented more than its siblings.", "Align it with the line above."],
  ITEM_AMONG_KEYS: [
    "A list item stands where keys do.",
    "Remove the dash, or put the items under a key of their own.",
  ],
  MULTILINE_IMPLICIT_KEY: ["A key goes over several lines.", "Add `:` after the key, on its own line."],
  KEY_OVER_1024_CHARS: ["A key is longer than 1024 characters.", "Shorten the key."],
};

/** What can be wrong with JSON. */
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
  | "bad-word"
  | "bad-number"
  | "extra-text";

const jsonProblems: Readonly<Record<JsonProblem, readonly [message: string, hint: string]>> = {
  comment: ["JSON has no comments.", "Remove the comment, or write the document as YAML."],
  "trailing-comma": ["A comma stands before a closing bracket.", "Remove the comma."],
  "missing-comma": ["A comma is missing between two entries.", "Add `,` before this."],
  "missing-colon": ["A colon is missing after the key.", "Add `:` between key and value."],
  "missing-value": ["A value is missing here.", "Add the value."],
  "missing-key": ["A key in double quotes is missing here.", 'Write entries as `"key": value`.'],
  "unclosed-string": ["This string is never closed on its line.", 'Add the closing `"`.'],
  "unclosed-bracket": ["This bracket is never closed.", "Add the closing bracket."],
  "control-character": ["A string holds a raw control character.", "Write it as an escape, such as `\\t`."],
  "bad-escape": ["JSON strings have no such escape.", "Double the backslash if one was meant."],
  "bad-word": ["This is no JSON value.", "Put text in double quotes."],
  "bad-number": ["This is no JSON number.", "Write digits, without leading zeros or signs other than `-`."],
  "extra-text": ["Something follows the end of the document.", "Remove what stands after the last bracket."],
};

const referenceEntries = {
  GW1030: entry<{ reference: string; missing: string; closest: Closest }>({
    slug: "broken-reference",
    severity: "error",
    message: (d) => `The reference \`${d.reference}\` leads nowhere: there is no \`${d.missing}\`.`,
    hint: (d) => didYouMean(d.closest) ?? `Correct the reference, or add \`${d.missing}\`.`,
  }),
  GW1031: entry<{ reference: string }>({
    slug: "remote-reference",
    severity: "error",
    message: (d) => `The reference \`${d.reference}\` would be read over the network.`,
    hint: () => "Download the file and refer to it by a relative path.",
  }),
  GW1032: entry<{ reference: string }>({
    slug: "reference-cycle",
    severity: "error",
    message: (d) => `The reference \`${d.reference}\` leads back to itself.`,
    hint: () => "Replace one reference of the circle with the value itself.",
  }),
  GW1033: entry<{ reference: string }>({
    slug: "malformed-reference",
    severity: "error",
    message: (d) => `\`${d.reference}\` is no reference.`,
    hint: () => "Write `#/path/to/value` or `file.yaml#/path/to/value`, with `~1` for `/` in a key.",
  }),
  GW1034: entry<{ reference: string }>({
    slug: "file-reference-refused",
    severity: "error",
    message: (d) => `The reference \`${d.reference}\` names a file, and files are not open to this document.`,
    hint: () => "Move the referenced value into the document.",
  }),
};

export const documentEntries = {
  ...fileEntries,
  ...syntaxEntries,
  ...referenceEntries,
  ...openapiEntries,
};
