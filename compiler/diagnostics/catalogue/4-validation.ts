// Document meaning: requests that are held against their operations.

import { entry } from "../diagnostic.ts";
import { replaceText } from "../fixes/respell.ts";

export const validationEntries = {
  GW4230: entry<{ id: string; closest: string | undefined }>({
    slug: "unknown-operation",
    severity: "error",
    message: (d) => `No operation has the id \`${d.id}\`.`,
    hint: (d) =>
      d.closest === undefined
        ? "Name the `operationId` of an operation in `paths`."
        : `Did you mean \`${d.closest}\`?`,
    fix: (d, span) => (d.closest === undefined ? undefined : replaceText(span, d.closest, false)),
  }),
  GW4231: entry<{ reason: string }>({
    slug: "pattern-not-linear",
    severity: "error",
    message: (d) => `Requests cannot be held against this pattern: ${d.reason}.`,
    hint: () => "Write it without looking around and back references, or turn `validateRequest` off.",
  }),
  GW4232: entry<{ segment: string }>({
    slug: "parameter-within-segment",
    severity: "error",
    message: (d) => `Requests to \`${d.segment}\` cannot be validated: a parameter takes a whole segment.`,
    hint: () => "Make the whole segment a parameter, or turn `validateRequest` off for the operation.",
  }),
};
