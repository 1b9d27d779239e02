// Settings for diagnostics themselves: levels in `gateway.yaml`, and suppressions.

import { type Edit, entry } from "../diagnostic.ts";
import { respellPart } from "../fixes/respell.ts";

type Closest = string | undefined;

const commentForm = "Write `# sluice-ignore GWnnnn: reason`. Separate several codes with commas.";
const entryForm = "Write a list of objects with `code` and `reason`.";

export const suppressionEntries = {
  GW4110: entry<{ name: string; closest: Closest }>({
    slug: "unknown-diagnostic",
    severity: "error",
    adjustable: true,
    message: (d) => `Unknown diagnostic \`${d.name}\`.`,
    hint: (d) =>
      d.closest === undefined
        ? "Use a code such as `GW4018` or its name, as `sluice check` prints it."
        : `Did you mean \`${d.closest}\`?`,
    fix: (d, span) => respellPart(span, d.name, d.closest),
  }),
  GW4111: entry<{ name: string; level: string }>({
    slug: "level-not-adjustable",
    severity: "error",
    adjustable: true,
    message: (d) => `\`${d.name}\` prevents the build and cannot be set to \`${d.level}\`.`,
    hint: () => "Remove this entry, and fix the cause of the diagnostic.",
  }),
  GW4112: entry<{ form: "comment" | "entry" }>({
    slug: "suppression-without-reason",
    severity: "error",
    adjustable: true,
    message: () => "A suppression without a reason has no effect.",
    hint: (d) =>
      d.form === "comment"
        ? "Add the reason after a colon: `# sluice-ignore GWnnnn: reason`."
        : "Add `reason`.",
  }),
  GW4113: entry<{ name: string }>({
    slug: "not-suppressible",
    severity: "error",
    adjustable: true,
    message: (d) => `\`${d.name}\` prevents the build and cannot be suppressed.`,
    hint: () => "Fix the cause of the diagnostic.",
  }),
  GW4114: entry<{ code: string; removal: Edit | undefined }>({
    slug: "unused-suppression",
    severity: "warning",
    message: (d) => `Unused suppression of \`${d.code}\`.`,
    hint: () => "Remove it, or move it to the line before the one that it concerns.",
    fix: ({ removal }) => removal && { title: "Remove the suppression.", isSafe: true, edits: [removal] },
  }),
  GW4115: entry<{ form: "comment" | "entry" }>({
    slug: "malformed-suppression",
    severity: "error",
    adjustable: true,
    message: (d) =>
      d.form === "comment"
        ? "This `sluice-ignore` names no diagnostic."
        : "This `x-gw-ignore` names no diagnostic.",
    hint: (d) => (d.form === "comment" ? commentForm : entryForm),
  }),
  GW4116: entry<{ name: string; other: string }>({
    slug: "level-twice",
    severity: "error",
    adjustable: true,
    message: (d) => `\`${d.other}\` and \`${d.name}\` are the same diagnostic but have two levels.`,
    hint: () => "Remove one of the two.",
  }),
};
