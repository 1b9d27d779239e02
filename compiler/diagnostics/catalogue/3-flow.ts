// What scripts make of messages on their way through a stream.

import { entry } from "../diagnostic.ts";

/** A place of a message that does not fit what is declared. */
export interface Unfit {
  /** The path of the field; empty for the whole message. */
  readonly field: string;
  readonly problem: "missing" | "extra" | "null" | "value" | "type";
  readonly found: string | undefined;
  readonly wanted: string | undefined;
  readonly closest: string | undefined;
}

const nameOf = ({ field }: Unfit): string => (field === "" ? "The message" : `\`${field}\``);

const hintOf = ({ field, problem, closest }: Unfit): string | undefined => {
  if (closest !== undefined) return `Did you mean \`${closest}\`?`;
  if (problem === "missing") return `Assign \`root.${field}\`, or take it out of \`required\`.`;
  if (problem === "extra") return "Remove it, or declare it in the schema.";
  return undefined;
};

export const flowEntries = {
  GW3200: entry<Unfit>({
    slug: "result-does-not-fit",
    severity: "error",
    message: (d) => {
      switch (d.problem) {
        case "missing":
          return `The output's schema requires ${nameOf(d).replace("The", "the")}, which is never set.`;
        case "extra":
          return `The output's schema has no ${nameOf(d).replace("The", "the")}.`;
        default:
          return `${nameOf(d)} is \`${d.found}\` here; the output's schema wants \`${d.wanted}\`.`;
      }
    },
    hint: hintOf,
  }),
  GW3201: entry<Unfit>({
    slug: "result-may-not-fit",
    severity: "warning",
    message: (d) => {
      switch (d.problem) {
        case "missing":
          return `The output's schema requires ${nameOf(d).replace("The", "the")}, which may not be set.`;
        case "extra":
          return `${nameOf(d)} may be set, and the output's schema has no such field.`;
        default:
          return `${nameOf(d)} may be \`${d.found}\` here; the output's schema wants \`${d.wanted}\`.`;
      }
    },
    hint: hintOf,
  }),
};
