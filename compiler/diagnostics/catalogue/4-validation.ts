// Document meaning: validation of requests against their operations.

import { entry } from "../diagnostic.ts";
import { replaceText } from "../fixes/respell.ts";

export const validationEntries = {
  GW4230: entry<{ id: string; closest: string | undefined }>({
    slug: "unknown-operation",
    severity: "error",
    message: (d) => `Unknown operation \`${d.id}\`.`,
    hint: (d) =>
      d.closest === undefined
        ? "Use the `operationId` of an operation in `paths`."
        : `Did you mean \`${d.closest}\`?`,
    fix: (d, span) => (d.closest === undefined ? undefined : replaceText(span, d.closest, false)),
  }),
  GW4231: entry<{ reason: string }>({
    slug: "pattern-not-linear",
    severity: "error",
    message: (d) => `Requests cannot be validated against this pattern: ${d.reason}.`,
    hint: () => "Remove lookarounds and back-references, or disable `validateRequest`.",
  }),
  GW4232: entry<{ segment: string }>({
    slug: "parameter-within-segment",
    severity: "error",
    message: (d) =>
      `Requests to \`${d.segment}\` cannot be validated: a parameter must be a complete segment.`,
    hint: () => "Make the complete segment a parameter, or disable `validateRequest` for the operation.",
  }),
};
