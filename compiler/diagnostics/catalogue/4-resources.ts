// Document meaning: what a stream declares under a label, and what names it.

import { entry } from "../diagnostic.ts";
import { respell } from "../fixes/respell.ts";
import type { Nearest } from "../suggest.ts";
import { type Role, roleNames } from "./roles.ts";

export const resourceEntries = {
  GW4140: entry<{ role: Role }>({
    slug: "resource-without-label",
    severity: "error",
    message: (d) => `This ${roleNames[d.role]} has no \`label\`, so nothing can name it.`,
    hint: () => "Add `label:` with a name of its own.",
  }),
  GW4141: entry<{ label: string }>({
    slug: "resource-label-twice",
    severity: "error",
    message: (d) => `Two resources of this stream are labelled \`${d.label}\`.`,
    hint: () => "Give each a label of its own.",
  }),
  GW4142: entry<{ role: Role; label: string; section: string } & Nearest>({
    slug: "unknown-resource",
    severity: "error",
    message: (d) => `This stream declares no ${roleNames[d.role]} labelled \`${d.label}\`.`,
    hint: (d) =>
      d.closest === undefined
        ? `Declare it among the \`${d.section}\` of the stream.`
        : `Did you mean \`${d.closest}\`?`,
    fix: (d, span) => respell(span, d.label, d),
  }),
  GW4143: entry<{ role: Role }>({
    slug: "resource-not-named",
    severity: "error",
    message: (d) => `\`resource\` takes the label of a declared ${roleNames[d.role]}.`,
    hint: () => "Write the label as text.",
  }),
  GW4144: entry<{ label: string }>({
    slug: "resource-within-itself",
    severity: "error",
    message: (d) => `\`${d.label}\` holds itself, so there is no end to it.`,
    hint: () => "Remove this, or name another resource.",
  }),
  GW4145: entry<{ field: string }>({
    slug: "beside-resource",
    severity: "error",
    message: (d) => `\`${d.field}\` cannot stand beside \`resource\`.`,
    hint: () => "Write it where the resource is declared.",
  }),
  GW4146: entry<{ role: Role; label: string }>({
    slug: "unused-resource",
    severity: "warning",
    message: (d) => `Nothing uses the ${roleNames[d.role]} \`${d.label}\`.`,
    hint: () => "Name it where it is needed, or remove it.",
  }),
  GW4147: entry<{ name: string; label: string; kind: string }>({
    slug: "cache-too-far-for-mappings",
    severity: "error",
    message: (d) => `\`${d.name}\` cannot wait for \`${d.label}\`, which is a \`${d.kind}\` cache.`,
    hint: () => "Use a `cache` processor before the mapping, or a `memory` cache.",
  }),
  GW4148: entry<Record<never, never>>({
    slug: "dropped-without-cache",
    severity: "warning",
    message: () => "Messages are lost while the cache cannot be asked.",
    hint: () => "Remove `drop_on_err`, so that they are tried again.",
  }),
};
