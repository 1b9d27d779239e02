// What people say about diagnostics themselves: levels in `gateway.yaml`, and suppressions.

import { type Edit, entry } from "../diagnostic.ts";

type Closest = string | undefined;

const commentForm = "Write `# sluice-ignore GWnnnn: reason`, several codes with commas between them.";
const entryForm = "Write a list of objects with `code` and `reason`.";

export const suppressionEntries = {
  GW4110: entry<{ name: string; closest: Closest }>({
    slug: "unknown-diagnostic",
    severity: "error",
    adjustable: true,
    message: (d) => `There is no diagnostic \`${d.name}\`.`,
    hint: (d) =>
      d.closest === undefined
        ? "Name a code or its name, as `sluice check` shows them."
        : `Did you mean \`${d.closest}\`?`,
  }),
  GW4111: entry<{ name: string; level: string }>({
    slug: "level-not-adjustable",
    severity: "error",
    adjustable: true,
    message: (d) => `\`${d.name}\` stops a build and cannot be \`${d.level}\`.`,
    hint: () => "Remove it here, and correct what the diagnostic points at.",
  }),
  GW4112: entry<{ form: "comment" | "entry" }>({
    slug: "suppression-without-reason",
    severity: "error",
    adjustable: true,
    message: () => "This suppression gives no reason, and suppresses nothing.",
    hint: (d) =>
      d.form === "comment"
        ? "Say after a colon why it is meant: `# sluice-ignore GWnnnn: reason`."
        : "Say in `reason` why it is meant.",
  }),
  GW4113: entry<{ name: string }>({
    slug: "not-suppressible",
    severity: "error",
    adjustable: true,
    message: (d) => `\`${d.name}\` stops a build and cannot be suppressed.`,
    hint: () => "Correct what the diagnostic points at.",
  }),
  GW4114: entry<{ code: string; removal: Edit | undefined }>({
    slug: "unused-suppression",
    severity: "warning",
    message: (d) => `There is no \`${d.code}\` here to suppress.`,
    hint: () => "Remove the suppression, or put it on the line before what it is about.",
    fix: ({ removal }) => removal && { title: "Remove the suppression.", isSafe: true, edits: [removal] },
  }),
  GW4115: entry<{ form: "comment" | "entry" }>({
    slug: "malformed-suppression",
    severity: "error",
    adjustable: true,
    message: (d) =>
      d.form === "comment"
        ? "This `sluice-ignore` does not name the diagnostics it is about."
        : "This `x-gw-ignore` does not name the diagnostics it is about.",
    hint: (d) => (d.form === "comment" ? commentForm : entryForm),
  }),
  GW4116: entry<{ name: string; other: string }>({
    slug: "level-twice",
    severity: "error",
    adjustable: true,
    message: (d) => `\`${d.other}\` and \`${d.name}\` are one diagnostic and have two levels.`,
    hint: () => "Keep one of the two.",
  }),
};
