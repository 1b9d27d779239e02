// Document meaning: names and roles of components, resources of a stream, and references to them.

import type { ComponentRole } from "../../../schemas/component.ts";
import { entry } from "../diagnostic.ts";
import { removeEntry } from "../fixes/entries.ts";
import { respell } from "../fixes/respell.ts";
import type { Nearest } from "../suggest.ts";

export const resourceEntries = {
  GW4140: entry<{ role: ComponentRole }>({
    slug: "resource-without-label",
    severity: "error",
    message: (d) => `Missing \`label\` of ${rolesWithArticle[d.role]}.`,
    hint: () => "Add `label:` with a unique name.",
  }),
  GW4141: entry<{ label: string }>({
    slug: "resource-label-twice",
    severity: "error",
    message: (d) => `Duplicate resource label \`${d.label}\`.`,
    hint: () => "Rename one of the two resources.",
  }),
  GW4142: entry<{ role: ComponentRole; label: string; section: string } & Nearest>({
    slug: "unknown-resource",
    severity: "error",
    message: (d) => `Unknown ${roleNames[d.role]} \`${d.label}\`.`,
    hint: (d) =>
      d.closest === undefined
        ? `Declare it in \`${d.section}\` of the stream.`
        : `Did you mean \`${d.closest}\`?`,
    fix: (d, span) => respell(span, d.label, d),
  }),
  GW4143: entry<{ role: ComponentRole }>({
    slug: "resource-not-named",
    severity: "error",
    message: (d) => `\`resource\` must be the label of a declared ${roleNames[d.role]}.`,
    hint: () => "Write the label as a string.",
  }),
  GW4144: entry<{ label: string }>({
    slug: "resource-within-itself",
    severity: "error",
    message: (d) => `The resource \`${d.label}\` contains itself.`,
    hint: () => "Remove this reference, or use another resource.",
  }),
  GW4145: entry<{ field: string }>({
    slug: "beside-resource",
    severity: "error",
    message: (d) => `\`${d.field}\` cannot be combined with \`resource\`.`,
    hint: () => "Move it to the declaration of the resource.",
  }),
  GW4146: entry<{ role: ComponentRole; label: string }>({
    slug: "unused-resource",
    severity: "warning",
    message: (d) => `Unused ${roleNames[d.role]} \`${d.label}\`.`,
    hint: () => "Refer to it, or remove it.",
  }),
  GW4147: entry<{ name: string; label: string; kind: string }>({
    slug: "cache-too-far-for-mappings",
    severity: "error",
    message: (d) =>
      `\`${d.name}\` is synchronous and cannot use \`${d.label}\`, which is a \`${d.kind}\` cache.`,
    hint: () => "Use a `cache` processor before the mapping, or a `memory` cache.",
  }),
  GW4148: entry<Record<never, never>>({
    slug: "dropped-without-cache",
    severity: "warning",
    message: () => "Messages are lost while the cache is unavailable.",
    hint: () => "Remove `drop_on_err`, so that they are retried.",
    fix: (_, span) => removeEntry(span, "drop_on_err"),
  }),
};

/** Examples of components for each role. */
const examples: Readonly<Record<ComponentRole, string>> = {
  input: " with its fields below it, such as `kafka:`",
  processor: ", such as `mapping: root = this`",
  output: " with its fields below it, such as `kafka:`",
  scanner: ", such as `lines: {}`",
  buffer: ", such as `memory: {}`",
  cache: ", such as `memory: {}`",
  rate_limit: ", such as `local: { count: 10 }`",
};

export const componentEntries = {
  GW4001: entry<{ role: ComponentRole; name: string } & Nearest>({
    slug: "unknown-component",
    severity: "error",
    message: (d) => `Unknown ${roleNames[d.role]} \`${d.name}\`.`,
    hint: (d) =>
      d.closest === undefined
        ? `Use ${rolesWithArticle[d.role]} that exists. \`sluice schema\` lists them.`
        : `Did you mean \`${d.closest}\`?`,
    fix: (d, span) => respell(span, d.name, d),
  }),
  GW4002: entry<{ role: ComponentRole; name: string; why: string; instead: string }>({
    slug: "unsupported-component",
    severity: "error",
    message: (d) => `The ${roleNames[d.role]} \`${d.name}\` is not supported, as ${d.why}.`,
    hint: (d) => d.instead,
  }),
  GW4003: entry<{ role: ComponentRole; first: string; second: string }>({
    slug: "several-components",
    severity: "error",
    message: (d) => `This ${roleNames[d.role]} has two components, \`${d.first}\` and \`${d.second}\`.`,
    hint: (d) =>
      d.role === "scanner" || d.role === "buffer"
        ? "Remove one."
        : d.role !== "input" && d.role !== "output"
          ? "Write each as its own entry of the list."
          : `Remove one, or list both below \`${d.role}s\` of a \`broker\`.`,
  }),
  GW4004: entry<{ role: ComponentRole }>({
    slug: "missing-component",
    severity: "error",
    message: (d) => `This ${roleNames[d.role]} names no component.`,
    hint: (d) => `Add one${examples[d.role]}.`,
  }),
  GW4005: entry<{ role: ComponentRole; name: string; other: ComponentRole }>({
    slug: "wrong-role",
    severity: "error",
    message: (d) => `\`${d.name}\` is ${rolesWithArticle[d.other]}, not ${rolesWithArticle[d.role]}.`,
    hint: (d) => `Move it to where ${rolesWithArticle[d.other]} is expected.`,
  }),
  GW4006: entry<{ name: string }>({
    slug: "long-form",
    severity: "info",
    message: (d) => `\`type: ${d.name}\` is the long form of \`${d.name}:\`.`,
    hint: (d) => `Write \`${d.name}:\` with the fields below it.`,
  }),
  GW4420: entry<{ role: ComponentRole; name: string; isKnown: boolean }>({
    slug: "template-name-taken",
    severity: "error",
    message: (d) =>
      d.isKnown
        ? `There is ${rolesWithArticle[d.role]} \`${d.name}\` already.`
        : `Two templates declare the ${roleNames[d.role]} \`${d.name}\`.`,
    hint: () => "Rename the template.",
  }),
  GW4421: entry<{ name: string; reason: string }>({
    slug: "template-failed",
    severity: "error",
    message: (d) => `The template \`${d.name}\` failed: ${d.reason}.`,
    hint: () => "Correct the fields here, or the mapping of the template.",
  }),
  GW4422: entry<{ name: string }>({
    slug: "template-circle",
    severity: "error",
    message: (d) => `The template \`${d.name}\` contains itself.`,
    hint: () => "Have its mapping make another component.",
  }),
};

/** `rate limit` */
const roleNames: Readonly<Record<ComponentRole, string>> = {
  input: "input",
  processor: "processor",
  output: "output",
  scanner: "scanner",
  buffer: "buffer",
  cache: "cache",
  rate_limit: "rate limit",
};

/** `a rate limit` */
const rolesWithArticle: Readonly<Record<ComponentRole, string>> = {
  input: "an input",
  processor: "a processor",
  output: "an output",
  scanner: "a scanner",
  buffer: "a buffer",
  cache: "a cache",
  rate_limit: "a rate limit",
};
