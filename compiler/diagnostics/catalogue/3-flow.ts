// How mappings change messages on their way through a stream.

import { entry } from "../diagnostic.ts";

/** A field of a message that does not match the declared schema. */
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
  if (problem === "missing") return `Assign \`root.${field}\`, or remove it from \`required\`.`;
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
          return `The schema requires ${nameOf(d).replace("The", "the")}, which is never set.`;
        case "extra":
          return `The schema does not declare ${nameOf(d).replace("The", "the")}.`;
        default:
          return `${nameOf(d)} is \`${d.found}\` here; the schema expects \`${d.wanted}\`.`;
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
          return `The schema requires ${nameOf(d).replace("The", "the")}, which may be unset.`;
        case "extra":
          return `${nameOf(d)} may be set, but the schema does not declare it.`;
        default:
          return `${nameOf(d)} may be \`${d.found}\` here; the schema expects \`${d.wanted}\`.`;
      }
    },
    hint: hintOf,
  }),
  GW3202: entry<{ reason: string; outputs: readonly string[] }>({
    slug: "half-processed-message",
    severity: "warning",
    message: (d) =>
      `If this fails (${d.reason}), the partly processed message still goes to ${listed(d.outputs)}.`,
    hint: () => "Add a fallback or a `catch` block, or use `strategy: reject` or `dead_letter`.",
  }),
  GW3203: entry<Readonly<Record<never, never>>>({
    slug: "catch-of-nothing",
    severity: "info",
    message: () => "This block never runs, because no processor before it can fail.",
    hint: () => "Move it after the processor whose failures it handles, or remove it.",
  }),
  GW3204: entry<{ name: string; gives: string }>({
    slug: "failure-read-where-nothing-fails",
    severity: "info",
    message: (d) => `\`${d.name}()\` is always ${d.gives} here, because no processor before it can fail.`,
    hint: () => "Call it after a processor that can fail, outside of its `try`.",
  }),
  GW3205: entry<Readonly<Record<never, never>>>({
    slug: "try-of-flagged-messages",
    severity: "warning",
    message: () => "This block never runs, because every message is already flagged as failed.",
    hint: () => "Put an empty `catch: []` before it to clear the flags.",
  }),
  GW3206: entry<Readonly<Record<never, never>>>({
    slug: "dead-letters-of-nothing",
    severity: "info",
    message: () => "No message reaches this output, because no failure of the stream leads to it.",
    hint: () => "Set `max_attempts` for messages that the output rejects, or remove the strategy.",
  }),
  GW3207: entry<Readonly<Record<never, never>>>({
    slug: "catch-inside-try",
    severity: "warning",
    message: () => "This block never runs, because a failed message leaves the `try` at once.",
    hint: () => "Move it after the `try`.",
  }),
};

/** `` `a` and `b` `` */
function listed(names: readonly string[]): string {
  return [...new Set(names)].map((name) => `\`${name}\``).join(" and ");
}
