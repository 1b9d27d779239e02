// Names, calls and types of mappings, and how mappings change messages on their way through a stream. Entries for
// mistakes that the reference engine also reports have `reference`: its text and position, for callers that compare
// with it.

import type { Span } from "../../source/source.ts";
import { entry } from "../diagnostic.ts";
import { respell } from "../fixes/respell.ts";
import { type Nearest, quoteAll, withArticle } from "../suggest.ts";

/** A field of a message that does not match the declared schema. */
export interface Unfit {
  /** The path of the field; empty for the whole message. */
  readonly field: string;
  /** The paths of other fields that are missing at the same place. */
  readonly others?: readonly string[];
  readonly problem: "missing" | "extra" | "null" | "value" | "type";
  readonly found: string | undefined;
  readonly wanted: string | undefined;
  readonly closest: string | undefined;
}

const nameOf = ({ field }: Unfit): string => (field === "" ? "The message" : `\`${field}\``);

/** Returns all fields that are missing at one place. */
const fieldsOf = ({ field, others = [] }: Unfit): string => quoteAll([field, ...others]);

const hintOf = ({ field, others = [], problem, closest }: Unfit): string | undefined => {
  if (closest !== undefined) return `Did you mean \`${closest}\`?`;
  if (others.length > 0) return "Assign them, or remove them from `required`.";
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
          return `The schema requires ${fieldsOf(d)}, which ${d.others ? "are" : "is"} never set.`;
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
          return `The schema requires ${fieldsOf(d)}, which may be unset.`;
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

/** A name that does not exist, and the most similar one that does. */
export interface Named extends Partial<Nearest> {
  readonly name: string;
}

/** A mistake that the reference engine also refuses. */
export interface Refused {
  /** `line 1 char 26: unrecognised method 'not_a_thing'` */
  readonly reference: string;
}

/** The replacement for a name of another language. */
export interface Advised {
  readonly advice?: string | undefined;
}

function didYouMean(details: { readonly closest?: string | undefined }): string | undefined {
  return details.closest === undefined ? undefined : `Did you mean \`${details.closest}\`?`;
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}

/** Names such as `$gw_context.name`, which look like variables of the mapping language. */
const ofRequests = /^(?:gw|tyk)_(?:context|meta)$/;

/** Whether a field with that name is set instead of the variable that was meant. */
type Unset = Named & { readonly isField?: boolean };

/** A variable that is read and never set. */
const unsetVariable = {
  message: (d: Unset) =>
    d.isField === true
      ? `This sets a field of the result, not the variable \`$${d.name}\`, which is read and never set.`
      : `Unknown variable \`$${d.name}\`: no \`let\` before this sets it.`,
  hint: (d: Unset) => {
    if (d.isField === true) return `Write \`let ${d.name} = …\`.`;
    return ofRequests.test(d.name)
      ? `Add the name of a request variable: \`$${d.name}.headers_X_Tenant\`.`
      : (didYouMean(d) ?? `Set it with \`let ${d.name} = …\`. A map does not see variables of its caller.`);
  },
  fix: (d: Unset, span: Span) => respell(span, d.name, d),
};

export const typeEntries = {
  GW3001: entry<Unset>({
    slug: "unset-variable",
    severity: "warning",
    ...unsetVariable,
  }),
  GW3002: entry<Named>({
    slug: "unknown-map",
    severity: "warning",
    message: (d) => `Unknown map \`${d.name}\`.`,
    hint: (d) => didYouMean(d) ?? `Define it: \`map ${d.name} { … }\`.`,
    fix: (d, span) => respell(span, d.name, d),
  }),
  GW3003: entry<Named & Refused & Advised>({
    slug: "unknown-function",
    severity: "error",
    message: (d) => `Unknown function \`${d.name}\`.`,
    hint: (d) => d.advice ?? didYouMean(d),
    fix: (d, span) => respell(span, d.name, d),
  }),
  GW3004: entry<Named & Refused & Advised>({
    slug: "unknown-method",
    severity: "error",
    message: (d) => `Unknown method \`${d.name}\`.`,
    hint: (d) => d.advice ?? didYouMean(d),
    fix: (d, span) => respell(span, d.name, d),
  }),
  GW3005: entry<Refused & { name: string; names: readonly string[] }>({
    slug: "missing-argument",
    severity: "error",
    message: (d) => `Missing argument ${quoted(d.names)} of \`${d.name}\`.`,
  }),
  GW3006: entry<Refused & { name: string; expected: number; found: number }>({
    slug: "extra-argument",
    severity: "error",
    message: (d) =>
      `\`${d.name}\` expects ${d.expected} argument${d.expected === 1 ? "" : "s"}, got ${d.found}.`,
    hint: () => "Remove the extra arguments.",
  }),
  GW3007: entry<Named & Refused & { builtin: string; parameters: readonly string[] }>({
    slug: "unknown-parameter",
    severity: "error",
    message: (d) => `Unknown parameter \`${d.name}\` of \`${d.builtin}\`.`,
    hint: (d) =>
      didYouMean(d) ?? (d.parameters.length === 0 ? undefined : `Its parameters: ${quoted(d.parameters)}.`),
    fix: (d, span) => respell(span, d.name, d),
  }),
  GW3008: entry<
    Refused & { parameter: string; expected: string; found: string; advice?: string | undefined }
  >({
    slug: "argument-type",
    severity: "error",
    message: (d) => `\`${d.parameter}\` must be ${withArticle(d.expected)}, not ${withArticle(d.found)}.`,
    hint: (d) => d.advice,
  }),
  GW3009: entry<Refused & { name: string }>({
    slug: "map-already-imported",
    severity: "error",
    message: (d) => `Duplicate map \`${d.name}\`.`,
    hint: () => "Rename or remove one of them.",
  }),
  GW3010: entry<Refused & { path: string; reason: string }>({
    slug: "unreadable-import",
    severity: "error",
    message: (d) => `\`${d.path}\` cannot be imported: ${d.reason}.`,
  }),
  GW3011: entry<Refused & { path: string }>({
    slug: "import-without-maps",
    severity: "error",
    message: (d) => `\`${d.path}\` defines no maps.`,
    hint: (d) => `\`import\` imports only maps. To run the whole file, write \`from "${d.path}"\`.`,
  }),
  GW3012: entry<Refused & { path: string; names: readonly string[] }>({
    slug: "import-clash",
    severity: "error",
    message: (d) => `\`${d.path}\` defines maps that already exist: ${quoted(d.names)}.`,
    hint: () => "Rename the maps in one of the two files.",
  }),
  GW3013: entry<Refused & { failure: string }>({
    slug: "operator-always-fails",
    severity: "error",
    message: (d) => `This always fails: ${d.failure}.`,
  }),
  GW3014: entry<Refused & { found: string }>({
    slug: "key-type",
    severity: "error",
    message: (d) => `An object key must be a string, not a ${d.found}.`,
    hint: () => "Put the key in double quotes.",
  }),
  GW3015: entry<Refused & { name: string; failure: string; value?: string } & Partial<Nearest>>({
    slug: "argument-never-works",
    severity: "error",
    message: (d) => `\`${d.name}\` cannot work with these arguments: ${d.failure}.`,
    hint: didYouMean,
    fix: (d, span) => (d.value === undefined ? undefined : respell(span, d.value, d)),
  }),
  GW3016: entry<Named>({
    slug: "files-not-allowed",
    severity: "error",
    message: (d) => `\`${d.name}\` reads files of the machine, which is not allowed.`,
    hint: (d) => `Add \`${d.name}\` to \`allow_unsafe\` in the \`gateway.yaml\` of this document.`,
  }),
  GW3017: entry<Refused & { name: string; lacks: string }>({
    slug: "builtin-not-supported-yet",
    severity: "error",
    message: (d) => `\`${d.name}\` is not supported yet: it needs ${d.lacks}.`,
  }),
  GW3018: entry<Refused & { name: string; failure: string }>({
    slug: "call-always-fails",
    severity: "error",
    message: (d) => `\`${d.name}\` always fails here: ${d.failure}.`,
  }),
  GW3019: entry<Unset>({
    slug: "variable-never-set",
    severity: "error",
    ...unsetVariable,
  }),
};
