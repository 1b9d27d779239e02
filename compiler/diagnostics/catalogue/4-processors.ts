// Document meaning: values that processors cannot work with.

import { entry } from "../diagnostic.ts";
import type { Nearest } from "../suggest.ts";

export const processorEntries = {
  GW4150: entry<{ reason: string }>({
    slug: "invalid-json-schema",
    severity: "error",
    message: (d) => `This is not a valid JSON Schema: ${d.reason}.`,
    hint: () => "Write a schema as JSON that refers only to its own parts.",
  }),
  GW4151: entry<{ name: string } & Nearest>({
    slug: "unknown-branch",
    severity: "error",
    message: (d) => `Unknown branch \`${d.name}\`.`,
    hint: (d) =>
      d.closest === undefined
        ? "Use the names of branches of this workflow."
        : `Did you mean \`${d.closest}\`?`,
  }),
  GW4152: entry<{ name: string }>({
    slug: "branch-not-in-order",
    severity: "error",
    message: (d) => `\`order\` does not contain the branch \`${d.name}\`.`,
    hint: () => "Add it to a list of `order`, or remove `order`.",
  }),
  GW4153: entry<{ name: string }>({
    slug: "branch-twice-in-order",
    severity: "error",
    message: (d) => `\`order\` contains the branch \`${d.name}\` twice.`,
    hint: () => "Remove one of the two.",
  }),
  GW4154: entry<{ names: readonly string[] }>({
    slug: "circular-branches",
    severity: "error",
    message: (d) => `The branches ${d.names.map((name) => `\`${name}\``).join(", ")} depend on each other.`,
    hint: () => "Set `order` to define which of them run first.",
  }),
  GW4155: entry<{ component: string; field: string; reason: string; hint: string | undefined }>({
    slug: "unusable-option",
    severity: "error",
    message: (d) => `\`${d.field}\` of \`${d.component}\` cannot be used: ${d.reason}.`,
    hint: (d) => d.hint,
  }),
  GW4195: entry<{ label: string; found: string }>({
    slug: "declared-processor-no-branch",
    severity: "error",
    message: (d) => `\`${d.label}\` is declared as \`${d.found}\`, not as a \`branch\`.`,
    hint: () => "Move it to `processors` of a `branch`.",
  }),
  GW4196: entry<{ name: string }>({
    slug: "branch-declared-twice",
    severity: "error",
    message: (d) => `Duplicate branch \`${d.name}\`.`,
    hint: () => "Rename or remove one of the two.",
  }),
};
