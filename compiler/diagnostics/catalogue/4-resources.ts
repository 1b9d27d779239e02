// Document meaning: resources of a stream, and references to them.

import { entry } from "../diagnostic.ts";
import { removeEntry } from "../fixes/entries.ts";
import { respell } from "../fixes/respell.ts";
import type { Nearest } from "../suggest.ts";
import { type Role, roleNames } from "./4-components.ts";

export const resourceEntries = {
  GW4140: entry<{ role: Role }>({
    slug: "resource-without-label",
    severity: "error",
    message: (d) => `Missing \`label\` of a ${roleNames[d.role]}.`,
    hint: () => "Add `label:` with a unique name.",
  }),
  GW4141: entry<{ label: string }>({
    slug: "resource-label-twice",
    severity: "error",
    message: (d) => `Duplicate resource label \`${d.label}\`.`,
    hint: () => "Rename one of the two resources.",
  }),
  GW4142: entry<{ role: Role; label: string; section: string } & Nearest>({
    slug: "unknown-resource",
    severity: "error",
    message: (d) => `Unknown ${roleNames[d.role]} \`${d.label}\`.`,
    hint: (d) =>
      d.closest === undefined
        ? `Declare it in \`${d.section}\` of the stream.`
        : `Did you mean \`${d.closest}\`?`,
    fix: (d, span) => respell(span, d.label, d),
  }),
  GW4143: entry<{ role: Role }>({
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
  GW4146: entry<{ role: Role; label: string }>({
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
