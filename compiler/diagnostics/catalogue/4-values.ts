// Document meaning: forms of texts, secrets, and what values say about values beside them.

import { entry } from "../diagnostic.ts";
import type { Nearest } from "../suggest.ts";

export const valueEntries = {
  GW4080: entry<{ value: string; title: string; reason: string; example: string }>({
    slug: "wrong-format",
    severity: "error",
    message: (d) => `\`${d.value}\` is not ${d.title}: ${d.reason}.`,
    hint: (d) => `Write it as in \`${d.example}\`.`,
  }),
  GW4081: entry<{ field: string; variable: string }>({
    slug: "literal-secret",
    severity: "warning",
    message: (d) => `Whoever may read this document has the secret in \`${d.field}\`.`,
    hint: (d) =>
      `Read it when the gateway starts: \`\${${d.variable}}\`, or \`\${file:PATH}\` for a mounted one.`,
  }),
  GW4082: entry<{ variable: string }>({
    slug: "password-in-address",
    severity: "warning",
    message: () => "Whoever may read this document has the password in this address.",
    hint: (d) => `Read it when the gateway starts: \`\${${d.variable}}\` in its place.`,
  }),
  GW4083: entry<Record<never, never>>({
    slug: "certificate-not-verified",
    severity: "warning",
    message: () => "Anybody can pose as this server, as nobody looks at its certificate.",
    hint: () => "Remove it, and name the authority that signed the certificate in `root_cas`.",
  }),
  GW4084: entry<{ field: string; other: string; value: string; limit: string }>({
    slug: "above-its-limit",
    severity: "warning",
    message: (d) => `\`${d.field}\` is ${d.value}, above the ${d.limit} of \`${d.other}\`.`,
    hint: (d) => `Make \`${d.other}\` at least as large as \`${d.field}\`.`,
  }),
  GW4085: entry<{ field: string; other: string; value: string; limit: string }>({
    slug: "not-below-its-limit",
    severity: "error",
    message: (d) => `\`${d.field}\` is ${d.value} and has to be below the ${d.limit} of \`${d.other}\`.`,
    hint: (d) => `Make \`${d.field}\` smaller, or \`${d.other}\` larger.`,
  }),
  GW4086: entry<{ component: string; field: string; held: string; wait: string }>({
    slug: "caller-gives-up-first",
    severity: "warning",
    message: (d) => `Callers wait ${d.wait}, while \`${d.component}\` may take ${d.held}.`,
    hint: (d) => `Make \`timeout\` of the input longer, or \`${d.field}\` here shorter.`,
  }),
  GW4087: entry<{ name: string; effect: string }>({
    slug: "unsafe-not-allowed",
    severity: "error",
    message: (d) => `\`${d.name}\` ${d.effect} on the machine of the gateway, which is not allowed.`,
    hint: (d) => `Name \`${d.name}\` under \`allow_unsafe\` in the \`gateway.yaml\` of this document.`,
  }),
  GW4088: entry<{ name: string } & Nearest>({
    slug: "nothing-unsafe-of-that-name",
    severity: "warning",
    message: (d) => `Nothing named \`${d.name}\` has to be allowed.`,
    hint: (d) => (d.closest === undefined ? "Remove it." : `Did you mean \`${d.closest}\`?`),
  }),
  GW4090: entry<{ key: string }>({
    slug: "merge-makes-array",
    severity: "warning",
    message: (d) => `\`${d.key}\` is there already, so \`merge\` makes an array of both values.`,
    hint: () => "Use `assign`, which puts the new value in place of the old one.",
  }),
  GW4091: entry<{ method: string; character: string; outcome: "never" | "always" }>({
    slug: "escaped-text-compared",
    severity: "warning",
    message: (d) =>
      `What \`${d.method}\` gives has no plain \`${d.character}\`, so this is ${d.outcome} true.`,
    hint: (d) => `Compare before \`${d.method}\`, or write the literal escaped.`,
  }),
  GW4356: entry<{ keyword: string; reference: string; leadsTo: string }>({
    slug: "dynamic-reference-not-resolved",
    severity: "error",
    message: (d) => `\`${d.keyword}: ${d.reference}\` leads to ${d.leadsTo} of this document.`,
    hint: () => "Name one schema by its `$dynamicAnchor`, or use `$ref`.",
  }),
  GW4357: entry<{ dialect: string }>({
    slug: "unknown-schema-dialect",
    severity: "error",
    message: (d) => `Unknown dialect of JSON Schema \`${d.dialect}\`.`,
    hint: () => "Remove `$schema`, or name `https://json-schema.org/draft/2020-12/schema`.",
  }),
  GW4358: entry<{ id: string }>({
    slug: "schema-id-declared-twice",
    severity: "error",
    message: (d) => `The \`$id\` \`${d.id}\` is declared twice.`,
    hint: () => "Give one of the schemas another `$id`.",
  }),
  GW4092: entry<{ keyword: string; expected: string; closest: string | undefined }>({
    slug: "not-a-json-schema",
    severity: "error",
    message: (d) => `\`${d.keyword}\` takes ${d.expected} in a JSON Schema.`,
    hint: (d) => (d.closest === undefined ? undefined : `Did you mean \`${d.closest}\`?`),
  }),
};
