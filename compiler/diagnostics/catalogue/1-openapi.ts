// Document syntax: which documents are APIs, and violations of OpenAPI.

import { entry } from "../diagnostic.ts";
import { removeEntry } from "../fixes/entries.ts";
import { replaceText, respell, respellPart } from "../fixes/respell.ts";
import type { Nearest } from "../suggest.ts";

type Closest = string | undefined;

// Adjustable entries here concern parts of the document that no gateway is built from.

export const openapiEntries = {
  GW1040: entry<{ closest: Closest }>({
    slug: "no-openapi-document",
    severity: "error",
    message: () => "This is not an OpenAPI document: `openapi` is missing.",
    hint: (d) =>
      d.closest === undefined
        ? 'Add `openapi: "3.1.1"` at the top, or write a stream with `input` and `output`.'
        : `Did you mean \`openapi\` instead of \`${d.closest}\`?`,
    fix: (d, span) => respellPart(span, d.closest ?? "", "openapi"),
  }),
  GW1041: entry<{ version: string }>({
    slug: "swagger-document",
    severity: "error",
    message: (d) => `Swagger ${d.version} is not supported; only OpenAPI 3 is.`,
    hint: () => "Convert the document to OpenAPI 3.1.",
  }),
  GW1042: entry<{ version: string; isText: boolean }>({
    slug: "unsupported-openapi-version",
    severity: "error",
    message: (d) =>
      d.isText
        ? `OpenAPI version \`${d.version}\` is not supported.`
        : `The OpenAPI version \`${d.version}\` must be a string.`,
    hint: (d) =>
      d.isText
        ? "Use 3.0, 3.1 or 3.2, such as `3.1.1`."
        : `Quote it, as in \`"${/^3\.[012]$/.test(d.version) ? d.version : "3.1"}.0"\`.`,
  }),
  GW1043: entry<{ owner: string; field: string }>({
    slug: "openapi-missing-field",
    severity: "error",
    adjustable: true,
    message: (d) => `Missing field \`${d.field}\` in ${d.owner}, which OpenAPI requires.`,
    hint: (d) => `Add \`${d.field}\`.`,
  }),
  GW1044: entry<{ owner: string; field: string; advice?: string | undefined } & Nearest>({
    slug: "openapi-unknown-field",
    severity: "error",
    adjustable: true,
    message: (d) => `Unknown OpenAPI field \`${d.field}\` in ${d.owner}.`,
    hint: (d) =>
      d.closest === undefined
        ? (d.advice ?? "Remove it, or prefix its name with `x-` to make it an extension.")
        : `Did you mean \`${d.closest}\`?`,
    fix: (d, span) => respell(span, d.field, d),
  }),
  GW1045: entry<{
    field: string;
    expected: string;
    actual: string;
    written?: string | undefined;
    hint?: string | undefined;
  }>({
    slug: "openapi-wrong-type",
    severity: "error",
    message: (d) => `\`${d.field}\` must be ${d.expected}, not ${d.actual}.`,
    hint: (d) => d.hint ?? (d.written && `Quote it: \`"${d.written}"\`.`),
    fix: (d, span) => (d.written ? replaceText(span, JSON.stringify(d.written), false) : undefined),
  }),
  GW1046: entry<{ field: string; rule: string; choices: readonly string[] }>({
    slug: "openapi-violation",
    severity: "error",
    adjustable: true,
    message: (d) => `\`${d.field}\` violates the OpenAPI schema: it ${d.rule}.`,
    hint: (d) =>
      d.choices.length === 0
        ? undefined
        : `Write ${d.choices.map((choice) => `\`${choice}\``).join(", ")}.`.replace(/, (?=[^,]*$)/, " or "),
  }),
  GW1047: entry<{ name: string; canonical: string }>({
    slug: "vendor-spelling",
    severity: "info",
    message: (d) => `\`${d.name}\` is an older spelling of \`${d.canonical}\`.`,
    hint: (d) => `Rename it to \`${d.canonical}\`.`,
    fix: ({ name, canonical }, span) =>
      // References into the extension would have to be renamed as well.
      replaceText(span, canonical, !span.source.file.text.includes(`/${name}/`)),
  }),
  GW1048: entry<{ name: string; canonical: string }>({
    slug: "both-extension-spellings",
    severity: "error",
    message: (d) => `The document has both \`${d.canonical}\` and \`${d.name}\`.`,
    hint: (d) => `Merge them into \`${d.canonical}\`.`,
  }),
  GW1049: entry<{ name: string } & Nearest>({
    slug: "nothing-to-serve",
    severity: "error",
    message: () => "The document defines nothing that a gateway can serve.",
    hint: (d) =>
      d.closest === undefined
        ? "Add `x-gw-streaming` with streams, or `x-gw-api-gateway` with an upstream."
        : `Did you mean \`${d.closest}\` instead of \`${d.name}\`?`,
    fix: (d, span) => respell(span, d.name, d),
  }),
  GW1050: entry<{ name: string }>({
    slug: "unknown-extension",
    severity: "warning",
    message: (d) => `Unknown extension \`${d.name}\`.`,
    hint: () => "Remove it; it has no effect.",
    fix: (d, span) => removeEntry(span, d.name),
  }),
  GW1051: entry<{ name: string; actual: string }>({
    slug: "extension-not-an-object",
    severity: "error",
    message: (d) => `\`${d.name}\` must be an object, not ${d.actual}.`,
  }),
  GW1052: entry<{ id: string }>({
    slug: "duplicate-api-id",
    severity: "error",
    message: (d) => `Duplicate API id \`${d.id}\` in the set.`,
    hint: () => "Change `x-gw-api-gateway.info.id` or the file name of one of them.",
  }),
  GW1053: entry<{ path: string }>({
    slug: "set-among-documents",
    severity: "error",
    message: (d) => `\`${d.path}\` is an API set, which another set cannot contain.`,
    hint: () => "Pass it alone on the command line, or list its documents instead.",
  }),
  GW1054: entry<{ actual: string; first: string }>({
    slug: "document-not-an-object",
    severity: "error",
    message: (d) => `A document must be an object with keys, not ${d.actual}.`,
    hint: ({ first }) => `Start it with \`${first}\`.`,
  }),
  GW1055: entry<{ name: string } & Nearest>({
    slug: "misspelt-extension",
    severity: "error",
    adjustable: true,
    message: (d) => `Unknown extension \`${d.name}\`.`,
    hint: (d) => `Did you mean \`${d.closest}\`?`,
    fix: (d, span) => respell(span, d.name, d),
  }),
};
