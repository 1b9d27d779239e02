// Document meaning: fields and their values.

import { type Span, spanOf } from "../../source/source.ts";
import { type Edit, entry } from "../diagnostic.ts";
import { addEntry, type EntryDestination, moveEntry, removeEntry } from "../fixes/entries.ts";
import { replaceString, replaceText, respell, respellPart, rewrite } from "../fixes/respell.ts";
import { translateTemplate } from "../fixes/translate.ts";
import { readBy } from "../placeholders.ts";
import { listKnown, type Nearest, quoteAll, withArticle } from "../suggest.ts";

type Closest = string | undefined;

const didYouMean = (closest: Closest): string | undefined => closest && `Did you mean \`${closest}\`?`;

const hoursOf = { d: 24, w: 168 };

/** Advises how to write a duration in days or weeks, for which durations have no unit. */
function inHours(value: string): string | undefined {
  const [, amount, unit] = /^(\d+) ?(d|w)(?:ays?|eeks?)?$/i.exec(value) ?? [];
  if (amount === undefined || unit === undefined) return undefined;
  return `Write it in hours: \`${Number(amount) * hoursOf[unit.toLowerCase() === "w" ? "w" : "d"]}h\`.`;
}

/** Returns what reads a variable of the environment, whose name is in upper case, or evaluates a query. */
function reference(query: string): string {
  return /^[A-Z][A-Z\d_]*$/.test(query) ? `\${${query}}` : `\${! ${query} }`;
}

/** Whether a variable configures the gateway: no document may read it (GW4330). */
function isGatewayVariable(name: string): boolean {
  return /^GW_/i.test(name);
}

/** Whether a name in `${…}` reads a field of the message, as in template strings of other languages. */
function isField(name: string): boolean {
  return name.startsWith("this.");
}

export const fieldEntries = {
  GW4010: entry<
    {
      owner: string;
      field: string;
      advice?: string | undefined;
      /** The place to which the field belongs according to the advice. */
      place?: EntryDestination | undefined;
      known?: readonly string[];
    } & Nearest
  >({
    slug: "unknown-field",
    severity: "error",
    message: (d) => `Unknown field \`${d.field}\` in \`${d.owner}\`.`,
    hint: (d) => d.advice ?? didYouMean(d.closest) ?? listKnown("Known fields", d.known ?? []),
    fix: (d, span) => {
      if (d.advice === undefined) return respell(span, d.field, d);
      return d.place && moveEntry(span, d.advice, d.place);
    },
  }),
  GW4011: entry<{ owner: string; fields: readonly string[]; below?: readonly string[] | undefined }>({
    slug: "missing-field",
    severity: "error",
    message: (d) =>
      d.fields.length === 1
        ? `Missing required field ${quoteAll(d.fields)} in \`${d.owner}\`.`
        : `Missing required fields ${quoteAll(d.fields)} in \`${d.owner}\`.`,
    hint: (d) =>
      d.below === undefined
        ? `Add ${quoteAll(d.fields)}.`
        : `Add ${quoteAll(d.fields)}, and move ${quoteAll(d.below)} below it.`,
  }),
  GW4012: entry<{
    field: string;
    expected: string;
    found: string;
    hint: string | undefined;
    correction?: Edit | undefined;
  }>({
    slug: "wrong-type",
    severity: "error",
    message: (d) => `Expected ${d.expected} for \`${d.field}\`, got ${d.found}.`,
    hint: (d) => d.hint,
    fix: ({ correction }) => correction && replaceText(correction.span, correction.text, false),
  }),
  GW4013: entry<{ field: string; value: string; allowed: readonly string[] } & Nearest>({
    slug: "not-one-of",
    severity: "error",
    message: (d) => `Unknown value \`${d.value}\` of \`${d.field}\`.`,
    hint: (d) => didYouMean(d.closest) ?? `Use one of ${quoteAll(d.allowed)}.`,
    fix: (d, span) => respell(span, d.value, d),
  }),
  GW4014: entry<{ field: string; value: string; limits: string }>({
    slug: "out-of-range",
    severity: "error",
    message: (d) => `\`${d.field}\` must be ${d.limits}, not ${d.value}.`,
  }),
  GW4015: entry<{ field: string; value: string; expected: string; example?: string | undefined }>({
    slug: "wrong-form",
    severity: "error",
    message: (d) =>
      d.value === ""
        ? `Expected ${d.expected === "a string" ? "a non-empty string" : d.expected} for \`${d.field}\`, got an empty string.`
        : `Expected ${d.expected} for \`${d.field}\`, got \`${d.value}\`.`,
    hint: (d) => d.example && `Write it as \`${d.example}\`.`,
    fix: (d, span) =>
      d.expected.startsWith("a path that begins with") && /^[\w{][^\s:]*$/.test(d.value)
        ? replaceString(span, `/${d.value}`)
        : undefined,
  }),
  GW4016: entry<{ owner: string; field: string }>({
    slug: "unsupported-field",
    severity: "error",
    message: (d) => `The field \`${d.field}\` of \`${d.owner}\` is not supported yet.`,
    hint: () => "Remove it if the stream does not depend on it.",
    fix: (d, span) => removeEntry(span, d.field),
  }),
  GW4017: entry<{ field: string; value: string; supported: readonly string[] }>({
    slug: "unsupported-value",
    severity: "error",
    message: (d) => `\`${d.field}: ${d.value}\` is not supported yet.`,
    hint: (d) => `Use ${quoteAll(d.supported)}.`,
    fix: (d, span) => respellPart(span, d.value, d.supported.length === 1 ? d.supported[0] : undefined),
  }),
  GW4018: entry<{ field: string }>({
    slug: "reserved-field",
    severity: "warning",
    message: (d) => `\`${d.field}\` is reserved and has no effect yet.`,
    hint: () => "Do not rely on it.",
  }),
  GW4019: entry<{ field: string; other: string }>({
    slug: "both-spellings",
    severity: "error",
    message: (d) => `\`${d.other}\` and \`${d.field}\` are two spellings of one field.`,
    hint: (d) => `Keep \`${d.field}\` and remove \`${d.other}\`.`,
    fix: (d, span) => removeEntry(span, d.other),
  }),
  GW4020: entry<{ value: string; unit: string | undefined; closest: Closest; correction?: Edit | undefined }>(
    {
      slug: "bad-duration",
      severity: "error",
      message: (d) =>
        d.unit === undefined
          ? `Expected a duration such as \`5s\`, got \`${d.value}\`.`
          : `Unknown unit of time \`${d.unit}\`.`,
      hint: (d) =>
        d.closest === undefined
          ? (inHours(d.value) ??
            "Write numbers with the units `ns`, `us`, `ms`, `s`, `m` or `h`, such as `1m30s`.")
          : `Did you mean \`${d.closest}\`?`,
      fix: ({ correction }) => correction && replaceText(correction.span, correction.text, true),
    },
  ),
  GW4021: entry<{ field: string }>({
    slug: "interpolation-not-read",
    severity: "error",
    message: (d) => `\`${d.field}\` does not support \`\${! … }\` expressions.`,
    hint: () => "Write a literal value, or an environment variable as `${NAME}`.",
  }),
  GW4022: entry<{ written: string }>({
    slug: "bad-environment-reference",
    severity: "error",
    message: (d) => `Malformed environment reference \`${d.written}\`.`,
    hint: ({ written }) => {
      const query = written.replaceAll(/^\$\{|\}$/g, "").trim();
      if (/^(?:this|root)\.|^@\w|^\w+\(/.test(query))
        return `For a value of the message, write \`\${! ${query} }\`.`;
      return "Write `${NAME}`, `${NAME:default}` or `${file:PATH}`. For the characters themselves, write `${{…}}`.";
    },
  }),
  GW4023: entry<{ written: string; expected: string }>({
    slug: "environment-default",
    severity: "error",
    message: (d) => `With its defaults this is \`${d.written}\`, which is not ${withArticle(d.expected)}.`,
    hint: (d) => `Change the default to ${withArticle(d.expected)}, or remove it.`,
  }),
  GW4024: entry<{ name: string }>({
    slug: "environment-in-mapping",
    severity: "warning",
    message: (d) => `Mappings do not resolve the environment reference \`\${${d.name}}\`.`,
    hint: (d) =>
      isGatewayVariable(d.name)
        ? "Use a variable with another name, with the function `env`: those named `GW_*` configure the gateway."
        : isField(d.name)
          ? `Read the field as \`${d.name}\`, in a string with \`"order %v".format(${d.name})\`.`
          : `Use the function \`env("${d.name}")\`.`,
    fix: (d, span) => {
      const { source, start, end } = span;
      const isWhole = source.text.slice(start - 1, end + 1) === `"\${${d.name}}"`;
      if (isGatewayVariable(d.name)) return undefined;
      if (!isWhole) return isField(d.name) ? translateTemplate(span) : undefined;
      const own = isField(d.name) ? d.name : `env("${d.name}")`;
      return rewrite(spanOf(source, start - 1, end + 1), own);
    },
  }),
  GW4028: entry<{ text: string; query?: string | undefined; isVariable?: boolean; isInMapping?: boolean }>({
    slug: "placeholder-of-another-tool",
    severity: "warning",
    message: (d) =>
      d.isVariable === true
        ? `\`${d.text}\` is a variable of the environment; it does not read the message.`
        : `\`${d.text}\` is not replaced: it stays the text it is.`,
    hint: (d) => {
      if (d.isInMapping === true) return `Concatenate in mappings: \`"… " + (${d.query}).string()\`.`;
      const query = d.query ?? readBy(d.text);
      return query === undefined
        ? "Write `${NAME}` for a variable of the environment, and `${! this.id }` for a value of the message."
        : `Write \`${reference(query)}\`.`;
    },
    fix: ({ text, query = readBy(text), isVariable, isInMapping }, span) => {
      if (query === undefined || isInMapping === true) return undefined;
      const meant = reference(query);
      const { source, start, end } = span;
      return isVariable === true
        ? {
            title: `Write \`${meant}\`.`,
            isSafe: false,
            edits: [{ span, text: meant, language: "document" }],
          }
        : replaceString(
            span,
            source.text.slice(start, end).replace(text, () => meant),
          );
    },
  }),
  GW4027: entry<{ name: string; meant: string }>({
    slug: "default-of-a-shell",
    severity: "warning",
    message: (d) =>
      `The default of \`${d.name}\` is \`-${d.meant}\`: it follows \`:\`, not \`:-\` as in a shell.`,
    hint: (d) => `Write \`\${${d.name}:${d.meant}}\`.`,
    fix: (d, span) => respellPart(span, `-${d.meant}`, d.meant),
  }),
  GW4026: entry<{ field: string }>({
    slug: "fixed-when-built",
    severity: "error",
    message: (d) => `\`${d.field}\` must be known when the gateway is built.`,
    hint: () => "Write the value, or set the variable when the gateway is built.",
  }),
  GW4025: entry<{ key: string }>({
    slug: "environment-in-key",
    severity: "error",
    message: (d) => `The key \`${d.key}\` cannot come from the environment.`,
    hint: () => "Write the key literally.",
  }),
};

export const neighbourEntries = {
  GW4170: entry<{ field: string; missing: readonly string[] }>({
    slug: "field-needs-another",
    severity: "error",
    message: (d) => `\`${d.field}\` requires ${quoteAll(d.missing)} in the same object.`,
    hint: (d) => `Add ${quoteAll(d.missing)}, or remove \`${d.field}\`.`,
  }),
  GW4171: entry<{ owner: string; fields: readonly string[] }>({
    slug: "one-of-fields-missing",
    severity: "error",
    message: (d) => `\`${d.owner}\` requires ${d.fields.length === 1 ? "" : "one of "}${quoteAll(d.fields)}.`,
    hint: (d) => (d.fields.length === 1 ? `Add ${quoteAll(d.fields)}.` : "Add the one that is meant."),
  }),
  GW4172: entry<{ block: string; first: Span }>({
    slug: "block-not-switched-on",
    severity: "warning",
    message: (d) => `\`${d.block}\` is configured but not enabled.`,
    hint: () => "Add `enabled: true`. Without it, the block has no effect.",
    fix: (d) => addEntry(d.first, "enabled", true),
  }),
  GW4194: entry<{ field: string; instead: string }>({
    slug: "field-without-effect-beside-another",
    severity: "warning",
    message: (d) => `\`${d.field}\` has no effect together with \`${d.instead}\`.`,
    hint: () => "Remove one of the two.",
    fix: (d, span) => removeEntry(span, d.field),
  }),
  GW4271: entry<{ owner: string; field: string; reason: string }>({
    slug: "field-changes-nothing",
    severity: "info",
    message: (d) => `\`${d.field}\` of \`${d.owner}\` has no effect, because ${d.reason}.`,
    hint: () => "No change is necessary; you can remove it.",
    fix: (d, span) => removeEntry(span, d.field),
  }),
};
