// Document meaning: what processors are given that they cannot work with.

import { entry } from "../diagnostic.ts";
import type { Nearest } from "../suggest.ts";

export const processorEntries = {
  GW4150: entry<{ reason: string }>({
    slug: "invalid-json-schema",
    severity: "error",
    message: (d) => `This is no JSON Schema: ${d.reason}.`,
    hint: () => "Write JSON text of a schema that refers to nothing but parts of itself.",
  }),
  GW4151: entry<{ name: string } & Nearest>({
    slug: "unknown-branch",
    severity: "error",
    message: (d) => `The workflow has no branch \`${d.name}\`.`,
    hint: (d) =>
      d.closest === undefined ? "Name only branches of this workflow." : `Did you mean \`${d.closest}\`?`,
  }),
  GW4152: entry<{ name: string }>({
    slug: "branch-not-in-order",
    severity: "error",
    message: (d) => `\`order\` does not say when the branch \`${d.name}\` runs.`,
    hint: () => "Add it to a list of `order`, or leave `order` out.",
  }),
  GW4153: entry<{ name: string }>({
    slug: "branch-twice-in-order",
    severity: "error",
    message: (d) => `\`order\` names the branch \`${d.name}\` twice.`,
    hint: () => "Name each branch once.",
  }),
  GW4154: entry<{ names: readonly string[] }>({
    slug: "circular-branches",
    severity: "error",
    message: (d) => `The branches ${d.names.map((name) => `\`${name}\``).join(", ")} wait for each other.`,
    hint: () => "Say with `order` which of them run first.",
  }),
  GW4195: entry<{ label: string; found: string }>({
    slug: "declared-processor-no-branch",
    severity: "error",
    message: (d) => `\`${d.label}\` is declared as \`${d.found}\`, not as a \`branch\`.`,
    hint: () => "Put it below `processors` of a `branch`.",
  }),
  GW4196: entry<{ name: string }>({
    slug: "branch-declared-twice",
    severity: "error",
    message: (d) => `The workflow has a branch \`${d.name}\` already.`,
    hint: () => "Remove one of the two, or give one another name.",
  }),
};
