// Document meaning: formats, secrets, and values that depend on other values.

import { entry } from "../diagnostic.ts";
import { respell, respellPart, rewrite } from "../fixes/respell.ts";
import type { Nearest } from "../suggest.ts";

/** Why a value of a schema never counts. */
type SchemaFault = "empty" | "twice" | "type" | "none-fits" | "none-of-them";

export const valueEntries = {
  GW4080: entry<{ value: string; title: string; reason: string; example: string }>({
    slug: "wrong-format",
    severity: "error",
    message: (d) => `Expected ${d.title}, got \`${d.value}\`: ${d.reason}.`,
    hint: (d) => `Write it as \`${d.example}\`.`,
  }),
  GW4081: entry<{ field: string; variable: string }>({
    slug: "literal-secret",
    severity: "warning",
    message: (d) => `\`${d.field}\` contains a secret in plain text.`,
    hint: (d) =>
      `Read it when the gateway starts: \`\${${d.variable}}\`, or \`\${file:PATH}\` for a mounted one.`,
  }),
  GW4082: entry<{ variable: string }>({
    slug: "password-in-address",
    severity: "warning",
    message: () => "This address contains a password in plain text.",
    hint: (d) => `Read it when the gateway starts: \`\${${d.variable}}\`.`,
  }),
  GW4083: entry<Record<never, never>>({
    slug: "certificate-not-verified",
    severity: "warning",
    message: () => "The certificate of this server is not verified, so anyone can impersonate it.",
    hint: () => "Remove this field, and set `root_cas` to the certificate authority of the server.",
  }),
  GW4084: entry<{ field: string; other: string; value: string; limit: string }>({
    slug: "above-its-limit",
    severity: "warning",
    message: (d) => `\`${d.field}\` is ${d.value}, which exceeds \`${d.other}\` (${d.limit}).`,
    hint: (d) => `Set \`${d.other}\` to at least the value of \`${d.field}\`.`,
  }),
  GW4085: entry<{ field: string; other: string; value: string; limit: string }>({
    slug: "not-below-its-limit",
    severity: "error",
    message: (d) => `\`${d.field}\` is ${d.value} and must be less than \`${d.other}\` (${d.limit}).`,
    hint: (d) => `Decrease \`${d.field}\`, or increase \`${d.other}\`.`,
  }),
  GW4086: entry<{ component: string; field: string; held: string; wait: string }>({
    slug: "caller-gives-up-first",
    severity: "warning",
    message: (d) => `Callers time out after ${d.wait}, but \`${d.component}\` may take ${d.held}.`,
    hint: (d) => `Increase \`timeout\` of the input, or decrease \`${d.field}\`.`,
  }),
  GW4087: entry<{ name: string; effect: string }>({
    slug: "unsafe-not-allowed",
    severity: "error",
    message: (d) => `\`${d.name}\` ${d.effect} on the machine of the gateway, which is not allowed.`,
    hint: (d) => `Add \`${d.name}\` to \`allow_unsafe\` in the \`gateway.yaml\` of this document.`,
  }),
  GW4088: entry<{ name: string } & Nearest>({
    slug: "nothing-unsafe-of-that-name",
    severity: "warning",
    message: (d) => `\`${d.name}\` is not an unsafe component and needs no permission.`,
    hint: (d) => (d.closest === undefined ? "Remove it." : `Did you mean \`${d.closest}\`?`),
    fix: (d, span) => respellPart(span, d.name, d.closest),
  }),
  GW4090: entry<{ key: string }>({
    slug: "merge-makes-array",
    severity: "warning",
    message: (d) => `\`${d.key}\` already exists, so \`merge\` makes an array of both values.`,
    hint: () => "Use `assign`, which replaces the old value.",
  }),
  GW4091: entry<{ method: string; character: string; outcome: "never" | "always" }>({
    slug: "escaped-text-compared",
    severity: "warning",
    message: (d) =>
      `The result of \`${d.method}\` never contains \`${d.character}\`, so this is ${d.outcome} true.`,
    hint: (d) => `Compare before \`${d.method}\`, or escape the literal.`,
  }),
  GW4356: entry<{ keyword: string; reference: string; leadsTo: string }>({
    slug: "dynamic-reference-not-resolved",
    severity: "error",
    message: (d) => `\`${d.keyword}: ${d.reference}\` resolves to ${d.leadsTo} of this document.`,
    hint: () => "Refer to one schema by its `$dynamicAnchor`, or use `$ref`.",
  }),
  GW4357: entry<{ dialect: string }>({
    slug: "unknown-schema-dialect",
    severity: "error",
    message: (d) => `Unknown JSON Schema dialect \`${d.dialect}\`.`,
    hint: () => "Remove `$schema`, or use `https://json-schema.org/draft/2020-12/schema`.",
  }),
  GW4358: entry<{ id: string }>({
    slug: "schema-id-declared-twice",
    severity: "error",
    message: (d) => `Duplicate \`$id\` \`${d.id}\`.`,
    hint: () => "Change the `$id` of one of the schemas.",
  }),
  GW4093: entry<{ keyword: string; isFormat?: boolean } & Nearest>({
    slug: "misspelt-schema-keyword",
    severity: "warning",
    message: (d) =>
      `Unknown ${d.isFormat === true ? "format" : "keyword"} \`${d.keyword}\` in a JSON Schema, which has no effect.`,
    hint: (d) => `Did you mean \`${d.closest}\`?`,
    fix: (d, span) => respell(span, d.keyword, d),
  }),
  GW4094: entry<{ version: string; types: readonly string[] }>({
    slug: "nullable-without-effect",
    severity: "warning",
    message: (d) => `OpenAPI ${d.version} has no \`nullable\`; validation ignores it.`,
    hint: (d) =>
      d.types.length === 0
        ? 'Write `anyOf` with the schema and `{ type: "null" }`.'
        : `Write \`type: [${d.types.join(", ")}, "null"]\`.`,
  }),
  GW4095: entry<{ target: string; closest: string | undefined }>({
    slug: "discriminator-of-no-schema",
    severity: "warning",
    message: (d) => `\`${d.target}\` is not a schema of this document.`,
    hint: (d) =>
      d.closest === undefined
        ? "Write the name of a schema in `components.schemas`, or a reference to it."
        : `Did you mean \`${d.closest}\`?`,
    fix: (d, span) => respellPart(span, d.target, d.closest),
  }),
  GW4096: entry<{ type: string; closest: string }>({
    slug: "media-type-misspelt",
    severity: "warning",
    message: (d) => `Unknown media type \`${d.type}\`.`,
    hint: (d) => `Did you mean \`${d.closest}\`?`,
    fix: (d, span) => respellPart(span, d.type, d.closest),
  }),
  GW4097: entry<{ header: string; closest: string }>({
    slug: "header-misspelt",
    severity: "warning",
    message: (d) => `Unknown header \`${d.header}\`.`,
    hint: (d) => `Did you mean \`${d.closest}\`?`,
    fix: (d, span) => respellPart(span, d.header, d.closest),
  }),
  GW4098: entry<{ name: string } & Nearest>({
    slug: "required-name-misspelt",
    severity: "warning",
    message: (d) => `\`required\` names \`${d.name}\`, which \`properties\` does not declare.`,
    // Which of the two is misspelt is not known, so that nothing is put right without a look.
    hint: (d) => d.closest && `Did you mean \`${d.closest}\`?`,
    fix: (d, span) => respellPart(span, d.name, d.closest),
  }),
  GW4099: entry<{ part: string; stream: string }>({
    slug: "part-beside-its-stream",
    severity: "error",
    message: (d) => `\`${d.part}\` stands beside the stream \`${d.stream}\`, not in it.`,
    hint: (d) => `Indent it below \`${d.stream}\`.`,
  }),
  GW4092: entry<{
    keyword: string;
    expected: string;
    written?: string | undefined;
    closest: string | undefined;
    isComment?: boolean;
  }>({
    slug: "not-a-json-schema",
    severity: "error",
    message: (d) => `Expected ${d.expected} for \`${d.keyword}\` in a JSON Schema.`,
    hint: (d) => {
      if (d.isComment === true) return "Quote the reference: ` #` starts a comment in YAML.";
      return d.closest === undefined ? undefined : `Did you mean \`${d.closest}\`?`;
    },
    fix: (d, span) => respellPart(span, d.written ?? "", d.closest),
  }),
  GW4132: entry<{
    fault: SchemaFault;
    value: string;
    types?: readonly string[];
    closest?: string | undefined;
  }>({
    slug: "schema-value-that-never-fits",
    severity: "warning",
    message: (d) => {
      if (d.fault === "empty") return "`enum` is empty, so that no value fits.";
      if (d.fault === "twice") return `\`enum\` contains \`${d.value}\` twice.`;
      if (d.fault === "none-of-them") return `The default \`${d.value}\` is not in \`enum\`.`;
      const types = (d.types ?? []).map((type) => `\`${type}\``).join(" or ");
      return d.fault === "none-fits"
        ? `No value of \`enum\` is of the type ${types}.`
        : `\`${d.value}\` does not fit the type ${types}.`;
    },
    hint: (d) => {
      if (d.fault === "empty") return "List the values, or remove `enum`.";
      if (d.fault === "twice") return "Remove one of the two.";
      if (d.closest !== undefined) return `Did you mean \`${d.closest}\`?`;
      if (d.fault === "none-of-them") return "Choose one of its values, or add this one.";
      if (d.fault === "none-fits" || d.types?.includes("string") !== true)
        return "Correct the type, or the values.";
      return `Quote it: \`"${d.value}"\`.`;
    },
    fix: (d, span) => respellPart(span, d.value, d.closest),
  }),
  GW4139: entry<{ name: string }>({
    slug: "function-without-parentheses",
    severity: "warning",
    message: (d) => `\`${d.name}\` reads a field here; it does not call the function.`,
    hint: (d) => `Write \`${d.name}()\` to call the function, or \`this.${d.name}\` to read the field.`,
    fix: (d, span) => rewrite(span, `${d.name}()`),
  }),
};
