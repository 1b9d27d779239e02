// Document meaning: fields and the values they hold.

import { type Edit, entry } from "../diagnostic.ts";
import { replaceText, respell } from "../fixes/respell.ts";
import { quoteAll } from "../quote-all.ts";
import type { Nearest } from "../suggest.ts";

type Closest = string | undefined;

const didYouMean = (closest: Closest): string | undefined => closest && `Did you mean \`${closest}\`?`;

export const fieldEntries = {
  GW4010: entry<{ owner: string; field: string; advice?: string | undefined } & Nearest>({
    slug: "unknown-field",
    severity: "error",
    message: (d) => `\`${d.owner}\` has no field \`${d.field}\`.`,
    hint: (d) => d.advice ?? didYouMean(d.closest),
    fix: (d, span) => (d.advice === undefined ? respell(span, d.field, d) : undefined),
  }),
  GW4011: entry<{ owner: string; fields: readonly string[]; below?: readonly string[] | undefined }>({
    slug: "missing-field",
    severity: "error",
    message: (d) =>
      d.fields.length === 1
        ? `\`${d.owner}\` needs the field ${quoteAll(d.fields)}.`
        : `\`${d.owner}\` needs the fields ${quoteAll(d.fields)}.`,
    hint: (d) =>
      d.below === undefined
        ? `Add ${quoteAll(d.fields)} to it.`
        : `Add ${quoteAll(d.fields)}, and move ${quoteAll(d.below)} below it.`,
  }),
  GW4012: entry<{ field: string; expected: string; found: string; hint: string | undefined }>({
    slug: "wrong-type",
    severity: "error",
    message: (d) => `\`${d.field}\` takes ${d.expected}, not ${d.found}.`,
    hint: (d) => d.hint,
  }),
  GW4013: entry<{ field: string; value: string; allowed: readonly string[] } & Nearest>({
    slug: "not-one-of",
    severity: "error",
    message: (d) => `\`${d.field}\` cannot be \`${d.value}\`.`,
    hint: (d) => didYouMean(d.closest) ?? `Use one of ${quoteAll(d.allowed)}.`,
    fix: (d, span) => respell(span, d.value, d),
  }),
  GW4014: entry<{ field: string; value: string; limits: string }>({
    slug: "out-of-range",
    severity: "error",
    message: (d) => `\`${d.field}\` must be ${d.limits}, not ${d.value}.`,
  }),
  GW4015: entry<{ field: string; value: string; expected: string }>({
    slug: "wrong-form",
    severity: "error",
    message: (d) =>
      d.value === ""
        ? `\`${d.field}\` takes ${d.expected}, not an empty text.`
        : `\`${d.field}\` takes ${d.expected}, not \`${d.value}\`.`,
  }),
  GW4016: entry<{ owner: string; field: string }>({
    slug: "unsupported-field",
    severity: "error",
    message: (d) => `The field \`${d.field}\` of \`${d.owner}\` is not supported yet.`,
    hint: () => "Remove it, if the stream can do without.",
  }),
  GW4017: entry<{ field: string; value: string; supported: readonly string[] }>({
    slug: "unsupported-value",
    severity: "error",
    message: (d) => `\`${d.field}: ${d.value}\` is not supported yet.`,
    hint: (d) => `Use ${quoteAll(d.supported)}.`,
  }),
  GW4018: entry<{ field: string }>({
    slug: "reserved-field",
    severity: "warning",
    message: (d) => `\`${d.field}\` is read, but has no effect yet.`,
    hint: () => "Do not rely on it.",
  }),
  GW4019: entry<{ field: string; other: string }>({
    slug: "both-spellings",
    severity: "error",
    message: (d) => `\`${d.other}\` and \`${d.field}\` are two spellings of one field.`,
    hint: (d) => `Keep \`${d.field}\` and remove the other.`,
  }),
  GW4020: entry<{ value: string; unit: string | undefined; closest: Closest; correction?: Edit | undefined }>(
    {
      slug: "bad-duration",
      severity: "error",
      message: (d) =>
        d.unit === undefined ? `\`${d.value}\` is no duration.` : `\`${d.unit}\` is no unit of time.`,
      hint: (d) =>
        d.closest === undefined
          ? "Write amounts with units `ns`, `us`, `ms`, `s`, `m`, `h`, such as `1m30s`."
          : `Did you mean \`${d.closest}\`?`,
      fix: ({ correction }) => correction && replaceText(correction.span, correction.text, true),
    },
  ),
  GW4021: entry<{ field: string }>({
    slug: "interpolation-not-read",
    severity: "error",
    message: (d) => `\`${d.field}\` does not take \`\${! … }\` expressions.`,
    hint: () => "Write a fixed text, or an environment variable as `${NAME}`.",
  }),
  GW4022: entry<{ written: string }>({
    slug: "bad-environment-reference",
    severity: "error",
    message: (d) => `\`${d.written}\` is no environment reference.`,
    hint: () =>
      "Write `${NAME}`, `${NAME:default}` or `${file:PATH}`; for the characters themselves, `${{…}}`.",
  }),
  GW4023: entry<{ written: string; expected: string }>({
    slug: "environment-default",
    severity: "error",
    message: (d) => `With its defaults this reads \`${d.written}\`, which is no ${d.expected}.`,
    hint: (d) => `Make it a ${d.expected}, or leave the default out.`,
  }),
  GW4024: entry<{ name: string }>({
    slug: "environment-in-mapping",
    severity: "warning",
    message: (d) => `Mappings keep \`\${${d.name}}\` as it is; they do not read environment references.`,
    hint: (d) => `Use \`env("${d.name}")\` in an expression.`,
  }),
  GW4026: entry<{ field: string }>({
    slug: "fixed-when-built",
    severity: "error",
    message: (d) => `\`${d.field}\` has to be known when the gateway is built.`,
    hint: () => "Write the value itself, not a reference.",
  }),
  GW4025: entry<{ key: string }>({
    slug: "environment-in-key",
    severity: "error",
    message: (d) => `Keys such as \`${d.key}\` cannot come from the environment.`,
    hint: () => "Write the key out.",
  }),
};
