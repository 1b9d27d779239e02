// Document meaning: fields of one object that need each other.

import { entry } from "../diagnostic.ts";
import { quoteAll } from "../quote-all.ts";

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
  }),
  GW4172: entry<{ block: string }>({
    slug: "block-not-switched-on",
    severity: "warning",
    message: (d) => `\`${d.block}\` is configured but not enabled.`,
    hint: () => "Add `enabled: true`. Without it, the block has no effect.",
  }),
  GW4194: entry<{ field: string; instead: string }>({
    slug: "field-without-effect-beside-another",
    severity: "warning",
    message: (d) => `\`${d.field}\` has no effect together with \`${d.instead}\`.`,
    hint: () => "Remove one of the two.",
  }),
  GW4271: entry<{ owner: string; field: string; reason: string }>({
    slug: "field-changes-nothing",
    severity: "info",
    message: (d) => `\`${d.field}\` of \`${d.owner}\` has no effect, because ${d.reason}.`,
    hint: () => "No change is necessary; you can remove it.",
  }),
};
