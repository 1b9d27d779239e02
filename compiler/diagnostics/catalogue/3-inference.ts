// What types tell of mappings. Where a value is surely wrong it is an error; where it can be, a warning.

import { entry } from "../diagnostic.ts";
import { replaceText, respell } from "../fixes/respell.ts";
import type { Nearest } from "../suggest.ts";

/** A name that is not there, the nearest one, and all there are. */
export interface Missing extends Partial<Nearest> {
  readonly name: string;
  readonly names: readonly string[];
}

/** An operand of a type that the operator does not take. */
export interface WrongOperand {
  readonly operator: string;
  /** `` `string` or `null` `` */
  readonly found: string;
  /** A sentence: what it takes. */
  readonly expected: string;
}

export interface WrongTarget {
  readonly method: string;
  readonly found: string;
  readonly expected: string;
}

export interface WrongArgument {
  readonly builtin: string;
  readonly parameter: string | undefined;
  readonly found: string;
  readonly expected: string;
}

function meantOr(
  { closest }: { readonly closest?: string | undefined },
  otherwise: string | undefined,
): string | undefined {
  return closest === undefined ? otherwise : `Did you mean \`${closest}\`?`;
}

const shownAtMost = 8;

function listed(names: readonly string[]): string {
  const shown = names.slice(0, shownAtMost).map((name) => `\`${name}\``);
  return `${shown.join(", ")}${names.length > shownAtMost ? ", …" : ""}`;
}

function known(what: string, names: readonly string[]): string | undefined {
  return names.length === 0 ? undefined : `${what}: ${listed(names)}.`;
}

function argumentOf({ builtin, parameter }: WrongArgument): string {
  return parameter === undefined ? `An argument of \`${builtin}\`` : `\`${parameter}\` of \`${builtin}\``;
}

const checkFirst = "Test it with `.type()` first, or give a fallback: `… | …`.";

export const inferenceEntries = {
  GW3100: entry<Missing>({
    slug: "unknown-field-of-value",
    severity: "error",
    message: (d) => `There is no field \`${d.name}\` here.`,
    hint: (d) => meantOr(d, known("The fields are", d.names)),
    fix: (d, span) => respell(span, d.name, d),
  }),
  GW3101: entry<Missing>({
    slug: "undeclared-field",
    severity: "warning",
    message: (d) => `Nothing declares a field \`${d.name}\` here.`,
    hint: (d) => meantOr(d, `Declare it in the schema, or say what to take without it: \`… | null\`.`),
    fix: (d, span) => respell(span, d.name, d),
  }),
  GW3102: entry<WrongOperand>({
    slug: "operand-type",
    severity: "error",
    message: (d) => `\`${d.operator}\` does not take ${d.found}.`,
    hint: (d) => d.expected,
  }),
  GW3103: entry<WrongOperand>({
    slug: "operand-may-not-fit",
    severity: "warning",
    message: (d) => `This can be ${d.found}, which \`${d.operator}\` does not take.`,
    hint: (d) => `${d.expected} ${checkFirst}`,
  }),
  GW3104: entry<WrongTarget>({
    slug: "method-on-wrong-type",
    severity: "error",
    message: (d) => `\`${d.method}\` does not work on ${d.found}.`,
    hint: (d) => `It works on ${d.expected}.`,
  }),
  GW3105: entry<WrongTarget>({
    slug: "method-may-not-fit",
    severity: "warning",
    message: (d) => `\`${d.method}\` does not work on ${d.found}, which its target can be.`,
    hint: (d) => `It works on ${d.expected}. ${checkFirst}`,
  }),
  GW3106: entry<WrongArgument>({
    slug: "argument-of-wrong-type",
    severity: "error",
    message: (d) => `${argumentOf(d)} must be ${d.expected}, this is ${d.found}.`,
  }),
  GW3107: entry<WrongArgument>({
    slug: "argument-may-not-fit",
    severity: "warning",
    message: (d) => `${argumentOf(d)} must be ${d.expected}, this can be ${d.found}.`,
    hint: () => checkFirst,
  }),
  GW3108: entry<{ value: string; user: string }>({
    slug: "possibly-null",
    severity: "warning",
    message: (d) => `\`${d.value}\` can be null, which \`${d.user}\` does not take.`,
    hint: () => "Say what to take instead, `… | …`, or test for null first.",
  }),
  GW3109: entry<{
    outcome: "never" | "always";
    left: string;
    right: string;
    written?: string;
    values?: readonly string[];
    closest?: string | undefined;
  }>({
    slug: "comparison-decided",
    severity: "warning",
    message: (d) => `This is ${d.outcome} true: ${d.left} on the left, ${d.right} on the right.`,
    hint: (d) => meantOr(d, known("It can be", d.values ?? [])),
  }),
  GW3110: entry<{ why: string; written?: string } & Partial<Nearest>>({
    slug: "unreachable-branch",
    severity: "warning",
    message: (d) => `This branch is never taken: ${d.why}.`,
    hint: (d) => meantOr(d, undefined),
    fix: (d, span) => (d.written === undefined ? undefined : respell(span, d.written, d)),
  }),
  GW3111: entry<{ found: string }>({
    slug: "condition-type",
    severity: "error",
    message: (d) => `A condition is a bool, this is ${d.found}.`,
    hint: () => "Compare it with something, as in `… != null`.",
  }),
  GW3112: entry<{ found: string }>({
    slug: "condition-may-not-fit",
    severity: "warning",
    message: (d) => `A condition is a bool, this can be ${d.found}.`,
    hint: () => "Compare it with something, or give a fallback: `… | false`.",
  }),
  GW3113: entry<{ name: string }>({
    slug: "unused-variable",
    severity: "warning",
    message: (d) => `Nothing reads the variable \`${d.name}\`.`,
    hint: () => "Remove it, or let its name begin with `_`.",
  }),
  GW3114: entry<{ name: string }>({
    slug: "possibly-unset-variable",
    severity: "warning",
    message: (d) => `The variable \`${d.name}\` is not set on every way to here.`,
    hint: (d) => `Set it before the branches: \`let ${d.name} = …\`.`,
  }),
  GW3115: entry<{ name: string }>({
    slug: "unused-map",
    severity: "warning",
    message: (d) => `Nothing applies the map \`${d.name}\`.`,
    hint: (d) => `Remove it, or apply it: \`this.apply("${d.name}")\`.`,
  }),
  GW3116: entry<{ name: string }>({
    slug: "endless-map",
    severity: "error",
    message: (d) => `The map \`${d.name}\` always comes back to itself, and never ends.`,
    hint: () => "Apply it only under a condition that ends it.",
  }),
  GW3117: entry<{ key: string; names: readonly string[] } & Partial<Nearest>>({
    slug: "unknown-metadata",
    severity: "warning",
    message: (d) => `Nothing sets metadata \`${d.key}\` here.`,
    hint: (d) => meantOr(d, known("There are", d.names)),
    fix: (d, span) => respell(span, d.key, d),
  }),
  GW3118: entry<{ parent: string; found: string }>({
    slug: "assignment-into-scalar",
    severity: "error",
    message: (d) => `\`${d.parent}\` is ${d.found} here, which holds no fields.`,
    hint: (d) => `Make it an object first: \`${d.parent} = {}\`.`,
  }),
  GW3119: entry<{ parent: string; found: string }>({
    slug: "assignment-may-not-fit",
    severity: "warning",
    message: (d) => `\`${d.parent}\` can be ${d.found} here, which holds no fields.`,
    hint: () => "Assign in the other branch, or before.",
  }),
  GW3120: entry<{ found: string }>({
    slug: "metadata-not-object",
    severity: "error",
    message: (d) => `All metadata are an object, this is ${d.found}.`,
    hint: () => "To set one value name its key: `meta key = …`.",
  }),
  GW3121: entry<{ name: string; found: string; isArray: boolean }>({
    slug: "field-of-scalar",
    severity: "error",
    message: (d) => `This is ${d.found}, which has no field \`${d.name}\`.`,
    hint: (d) => (d.isArray ? `Read it of each element: \`.map_each(each -> each.${d.name})\`.` : undefined),
  }),
  GW3122: entry<Readonly<Record<never, never>>>({
    slug: "metadata-in-branch-of-map",
    severity: "error",
    message: () => "A map cannot set metadata.",
    hint: () => "Give the value in the result of the map, and set it where the map is applied.",
  }),
  GW3123: entry<{ operator: string }>({
    slug: "division-by-zero",
    severity: "error",
    message: (d) => `The right side of \`${d.operator}\` is always zero, so this always fails.`,
  }),
  GW3124: entry<{ operator: string; left: string; right: string }>({
    slug: "operands-do-not-match",
    severity: "error",
    message: (d) => `\`${d.operator}\` does not take ${d.left} on the left and ${d.right} on the right.`,
    hint: (d) =>
      d.left === "text" || d.right === "text"
        ? "Make both text with `.string()`, or both numbers with `.number()`."
        : undefined,
  }),
  GW3130: entry<{ name: string; successor: string | undefined; isSame: boolean }>({
    slug: "deprecated-builtin",
    severity: "info",
    message: (d) => `\`${d.name}\` is deprecated.`,
    hint: (d) => {
      if (d.successor === undefined) return undefined;
      if (d.isSame) return `Write \`${d.successor}\`, which gives the same here.`;
      return `Write \`${d.successor}\` if its result will do: it is not always the same.`;
    },
    fix: (d, span) => (d.successor === undefined ? undefined : replaceText(span, d.successor, d.isSame)),
  }),
  GW4139: entry<{ name: string }>({
    slug: "function-without-parentheses",
    severity: "warning",
    message: (d) => `This reads a field \`${d.name}\`; it does not call the function.`,
    hint: (d) => `Write \`${d.name}()\` for the function, \`this.${d.name}\` for the field.`,
  }),
};
