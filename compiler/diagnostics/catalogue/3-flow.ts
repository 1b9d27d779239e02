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
  GW3202: entry<{ reason: string; outputs: readonly string[] }>({
    slug: "half-processed-message",
    severity: "warning",
    message: (d) =>
      `Where this fails (${d.reason}), the message goes to ${listed(d.outputs)} half processed.`,
    hint: () => "Give a fallback, handle it in a `catch` block, or use `strategy: reject` or `dead_letter`.",
  }),
  GW3203: entry<Readonly<Record<never, never>>>({
    slug: "catch-of-nothing",
    severity: "info",
    message: () => "This block never runs: nothing before it can fail.",
    hint: () => "Put it behind what it is meant for, or leave it out.",
  }),
  GW3204: entry<{ name: string; gives: string }>({
    slug: "failure-read-where-nothing-fails",
    severity: "info",
    message: (d) => `\`${d.name}()\` is always ${d.gives} here: nothing before it can fail.`,
    hint: () => "Read it where failed messages come: behind what can fail, and not inside its `try`.",
  }),
  GW3205: entry<Readonly<Record<never, never>>>({
    slug: "try-of-flagged-messages",
    severity: "warning",
    message: () => "This block never runs anything: every message here is flagged already.",
    hint: () => "Put an empty `catch: []` before it, which takes the flags away.",
  }),
  GW3206: entry<Readonly<Record<never, never>>>({
    slug: "dead-letters-of-nothing",
    severity: "info",
    message: () => "Nothing comes here: no failure of the stream leads to it.",
    hint: () => "Set `max_attempts` for what the output does not take, or leave the strategy out.",
  }),
  GW3207: entry<Readonly<Record<never, never>>>({
    slug: "catch-inside-try",
    severity: "warning",
    message: () => "This block never runs: a message that something failed on leaves the `try` at once.",
    hint: () => "Put it behind the `try`.",
  }),
};

/** `` `a` and `b` `` */
function listed(names: readonly string[]): string {
  return [...new Set(names)].map((name) => `\`${name}\``).join(" and ");
}
