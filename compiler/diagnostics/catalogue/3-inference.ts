// Type inference in mappings. A value that is certainly wrong is an error; one that may be wrong is a warning.

import { entry } from "../diagnostic.ts";
import { replaceText, respell, respellPart, rewrite } from "../fixes/respell.ts";
import { listKnown, type Nearest, quoteAll } from "../suggest.ts";

/** An unknown name, the most similar known name, and all known names. */
export interface Missing extends Partial<Nearest> {
  readonly name: string;
  readonly names: readonly string[];
  /** The place that has the field instead. */
  readonly advice?: string | undefined;
}

/** An operand of a type that the operator does not accept. */
export interface WrongOperand {
  readonly operator: string;
  /** `` `string` or `null` `` */
  readonly found: string;
  /** A sentence: the types that the operator accepts. */
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

function argumentOf({ builtin, parameter }: WrongArgument): string {
  return parameter === undefined ? `An argument of \`${builtin}\`` : `\`${parameter}\` of \`${builtin}\``;
}

/** The conditions that people mean when they use a value of a type as a condition. */
const comparisons: Readonly<Record<string, string>> = {
  "`array`": "….length() > 0",
  "`number`": "… != 0",
  "`object`": "….length() > 0",
  "`string`": '… != ""',
};

const checkFirst = "Test it with `.type()` first, or add a fallback: `… | …`.";

export const inferenceEntries = {
  GW3100: entry<Missing>({
    slug: "unknown-field-of-value",
    severity: "error",
    message: (d) => `Unknown field \`${d.name}\`.`,
    hint: (d) => d.advice ?? meantOr(d, listKnown("Known fields", d.names)),
    fix: (d, span) => respell(span, d.name, d),
  }),
  GW3101: entry<Missing>({
    slug: "undeclared-field",
    severity: "warning",
    message: (d) => `Undeclared field \`${d.name}\`.`,
    hint: (d) => d.advice ?? meantOr(d, "Declare it in the schema, or add a fallback: `… | null`."),
    fix: (d, span) => respell(span, d.name, d),
  }),
  GW3136: entry<Pick<Missing, "name"> & Nearest & { channels: readonly string[] }>({
    slug: "field-that-no-stream-writes",
    severity: "warning",
    message: (d) => `No stream that writes to ${quoteAll(d.channels)} sets the field \`${d.name}\`.`,
    hint: (d) => `Did you mean \`${d.closest}\`?`,
    fix: (d, span) => respell(span, d.name, d),
  }),
  GW3102: entry<WrongOperand>({
    slug: "operand-type",
    severity: "error",
    message: (d) => `\`${d.operator}\` does not accept ${d.found}.`,
    hint: (d) => d.expected,
  }),
  GW3103: entry<WrongOperand>({
    slug: "operand-may-not-fit",
    severity: "warning",
    message: (d) => `This can be ${d.found}, which \`${d.operator}\` does not accept.`,
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
    message: (d) => `This can be ${d.found}, which \`${d.method}\` does not work on.`,
    hint: (d) => `It works on ${d.expected}. ${checkFirst}`,
  }),
  GW3106: entry<WrongArgument>({
    slug: "argument-of-wrong-type",
    severity: "error",
    message: (d) => `${argumentOf(d)} must be ${d.expected}, not ${d.found}.`,
  }),
  GW3107: entry<WrongArgument>({
    slug: "argument-may-not-fit",
    severity: "warning",
    message: (d) => `${argumentOf(d)} must be ${d.expected}, but can be ${d.found}.`,
    hint: () => checkFirst,
  }),
  GW3108: entry<{ value: string; user: string }>({
    slug: "possibly-null",
    severity: "warning",
    message: (d) => `\`${d.value}\` can be null, which \`${d.user}\` does not accept.`,
    hint: () => "Add a fallback, `… | …`, or test for null first.",
  }),
  GW3109: entry<{
    outcome: "never" | "always";
    left: string;
    right: string;
    written?: string;
    values?: readonly string[];
    closest?: string | undefined;
    /** Whether the text is compared by `contains`. */
    isContained?: boolean;
  }>({
    slug: "comparison-decided",
    severity: "warning",
    message: (d) =>
      d.isContained === true
        ? `\`contains\` never finds ${d.left}: the values are ${d.right}.`
        : `This is ${d.outcome} true: ${d.left} on the left, ${d.right} on the right.`,
    hint: (d) => meantOr(d, listKnown("Possible values", d.values ?? [])),
    fix: (d, span) => respellPart(span, d.written ?? "", d.closest),
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
    message: (d) => `A condition must be a boolean, not ${d.found}.`,
    hint: (d) => `Compare it, as in \`${comparisons[d.found] ?? "… != null"}\`.`,
  }),
  GW3112: entry<{ found: string }>({
    slug: "condition-may-not-fit",
    severity: "warning",
    message: (d) => `A condition must be a boolean, but this can be ${d.found}.`,
    hint: () => "Compare it, or add a fallback: `… | false`.",
  }),
  GW3113: entry<{ name: string; isField?: boolean }>({
    slug: "unused-variable",
    severity: "warning",
    message: (d) =>
      d.isField === true
        ? `\`${d.name}\` reads a field here, and nothing reads the variable \`${d.name}\`.`
        : `Unused variable \`${d.name}\`.`,
    hint: (d) =>
      d.isField === true
        ? `Write \`$${d.name}\` to read the variable.`
        : "Remove it, or start its name with `_`.",
    fix: (d, span) =>
      respell(span, d.name, {
        closest: d.isField === true ? `$${d.name}` : `_${d.name}`,
        respelling: "unsure",
      }),
  }),
  GW3114: entry<{ name: string }>({
    slug: "possibly-unset-variable",
    severity: "warning",
    message: (d) => `The variable \`${d.name}\` is not set on every path to this point.`,
    hint: (d) => `Set it before the branches: \`let ${d.name} = …\`.`,
  }),
  GW3115: entry<{ name: string }>({
    slug: "unused-map",
    severity: "warning",
    message: (d) => `Unused map \`${d.name}\`.`,
    hint: (d) => `Remove it, or apply it: \`this.apply("${d.name}")\`.`,
  }),
  GW3116: entry<{ name: string }>({
    slug: "endless-map",
    severity: "error",
    message: (d) => `The map \`${d.name}\` always applies itself again and never ends.`,
    hint: () => "Apply it inside an `if` or `match`, so that the recursion ends.",
  }),
  GW3117: entry<{ key: string; names: readonly string[] } & Partial<Nearest>>({
    slug: "unknown-metadata",
    severity: "warning",
    message: (d) => `Unknown metadata \`${d.key}\`: nothing sets it.`,
    hint: (d) => meantOr(d, listKnown("Known metadata", d.names)),
    fix: (d, span) => respell(span, d.key, d),
  }),
  GW3137: entry<{ key: string } & Nearest>({
    slug: "metadata-that-nothing-reads",
    severity: "warning",
    message: (d) => `This stream sets the metadata \`${d.key}\` but reads \`${d.closest}\`.`,
    hint: (d) => `Did you mean \`${d.closest}\`?`,
    fix: (d, span) => respell(span, d.key, d),
  }),
  GW3118: entry<{ parent: string; found: string }>({
    slug: "assignment-into-scalar",
    severity: "error",
    message: (d) => `\`${d.parent}\` is ${d.found} here and cannot have fields.`,
    hint: (d) =>
      d.found === "`array`"
        ? `Change each element: \`${d.parent} = ${d.parent}.map_each(each -> …)\`, or write an index.`
        : `Make it an object first: \`${d.parent} = {}\`.`,
  }),
  GW3119: entry<{ parent: string; found: string }>({
    slug: "assignment-may-not-fit",
    severity: "warning",
    message: (d) => `\`${d.parent}\` can be ${d.found} here, which cannot have fields.`,
    hint: () => "Assign an object to it in every branch, or before the branches.",
  }),
  GW3120: entry<{ found: string }>({
    slug: "metadata-not-object",
    severity: "error",
    message: (d) => `\`meta\` without a key must be assigned an object, not ${d.found}.`,
    hint: () => "Name a key to set a single value: `meta key = …`.",
  }),
  GW3121: entry<{ name: string; found: string; isArray: boolean; advice?: string | undefined }>({
    slug: "field-of-scalar",
    severity: "error",
    message: (d) => `This is ${d.found}, which has no field \`${d.name}\`.`,
    hint: (d) =>
      d.advice ??
      (d.isArray ? `Read it from each element: \`.map_each(each -> each.${d.name})\`.` : undefined),
  }),
  GW3122: entry<Readonly<Record<never, never>>>({
    slug: "metadata-in-branch-of-map",
    severity: "error",
    message: () => "A map cannot set metadata.",
    hint: () => "Return the value from the map, and set the metadata where the map is applied.",
  }),
  GW3123: entry<{ operator: string }>({
    slug: "division-by-zero",
    severity: "error",
    message: (d) => `Division by zero: the right side of \`${d.operator}\` is always zero.`,
  }),
  GW3124: entry<{ operator: string; left: string; right: string }>({
    slug: "operands-do-not-match",
    severity: "error",
    message: (d) =>
      `\`${d.operator}\` does not accept a ${d.left} on the left and a ${d.right} on the right.`,
    hint: (d) =>
      d.left === "string" || d.right === "string"
        ? "Convert both to strings with `.string()`, or both to numbers with `.number()`."
        : undefined,
  }),
  GW3125: entry<{ name: string; meant: string; instead: string }>({
    slug: "word-reads-field",
    severity: "warning",
    message: (d) => `\`${d.name}\` reads the field \`${d.name}\` here; it does not stand for ${d.meant}.`,
    hint: (d) => `Write \`${d.instead}\`, or \`this.${d.name}\` to read the field.`,
    fix: (d, span) => rewrite(span, d.instead),
  }),
  GW3126: entry<{ left: string; right: string; isMetadata: boolean }>({
    slug: "dash-between-names",
    severity: "warning",
    message: (d) => `\`${d.left}-${d.right}\` subtracts the field \`${d.right}\` from \`${d.left}\`.`,
    hint: (d) =>
      `Quote a name that contains a dash: \`${d.isMetadata ? "@" : "this"}."${d.left}-${d.right}"\`.`,
    fix: (d, span) => rewrite(span, `"${d.left}-${d.right}"`),
  }),
  GW3127: entry<{ values: readonly string[] }>({
    slug: "values-without-case",
    severity: "warning",
    message: (d) => `This \`match\` has no case for ${quoteAll(d.values)}.`,
    hint: () => "Add a case, or `_ => …` for all other values.",
  }),
  GW3128: entry<{ layout: string; isReference: boolean; fault?: string; meant?: string | undefined }>({
    slug: "layout-without-parts",
    severity: "warning",
    message: (d) =>
      d.fault === undefined
        ? `The layout \`${d.layout}\` contains no part of a date or a time.`
        : `The layout \`${d.layout}\` shows ${d.fault}.`,
    hint: (d) => {
      if (d.meant !== undefined) return `Did you mean \`${d.meant}\`?`;
      return d.isReference
        ? "Write how it shows the time 2006-01-02 15:04:05, as in `2006-01-02T15:04:05Z07:00`."
        : "Write directives, such as `%Y-%m-%dT%H:%M:%S`.";
    },
    fix: (d, span) => respellPart(span, d.layout, d.meant),
  }),
  GW3138: entry<{ field: string; format: string; meant: string; layout?: string }>({
    slug: "layout-of-another-format",
    severity: "warning",
    message: (d) =>
      d.layout === undefined
        ? `\`${d.field}\` has the format \`${d.format}\`, which is not a timestamp.`
        : `The layout \`${d.layout}\` does not parse \`${d.field}\`, which has the format \`${d.format}\`.`,
    hint: (d) =>
      d.layout === undefined
        ? `Parse it first: \`.ts_parse("${d.meant}")\`.`
        : `Write \`${d.meant}\`, or correct the \`format\` of the schema.`,
    fix: (d, span) => (d.layout === undefined ? undefined : respellPart(span, d.layout, d.meant)),
  }),
  GW3139: entry<{ next: string }>({
    slug: "processors-behind-a-deletion",
    severity: "warning",
    message: (d) => `This deletes every message, so \`${d.next}\` and the processors after it never run.`,
    hint: () =>
      "Delete some messages, as in `root = if this.total == 0 { deleted() }`, or remove the processors.",
  }),
  GW3140: entry<{ key: string; owner: string; read: readonly string[]; closest: string | undefined }>({
    slug: "metadata-of-another-connector",
    severity: "warning",
    message: (d) =>
      `\`${d.key}\` is metadata of \`${d.owner}\`, but this stream reads from ${d.read.map((name) => `\`${name}\``).join(" and ")}.`,
    hint: (d) =>
      d.closest === undefined
        ? "Set it in a mapping before, or remove it."
        : `Did you mean \`${d.closest}\`?`,
    fix: (d, span) => respellPart(span, d.key, d.closest),
  }),
  GW3141: entry<{ key: string }>({
    slug: "key-of-an-object-twice",
    severity: "warning",
    message: (d) => `The key \`${d.key}\` appears twice; the last value is used.`,
    hint: () => "Rename or remove one of the two.",
  }),
  GW3142: entry<Readonly<Record<never, never>>>({
    slug: "status-that-no-reply-has",
    severity: "warning",
    message: () => "Replies do not have this status: nothing reads `http_status_code`.",
    hint: () => 'Add `sync_response: { status: "${! @http_status_code }" }` to the `http_server` input.',
  }),
  GW3143: entry<{ target: string; value: string }>({
    slug: "comparison-for-an-assignment",
    severity: "warning",
    message: (d) => `This compares \`${d.target}\` and replaces the message with the result, a boolean.`,
    hint: (d) => `Write \`${d.target} = ${d.value}\`; \`==\` compares two values.`,
    fix: (d, span) => rewrite(span, `${d.target} = ${d.value}`),
  }),
  GW3131: entry<{ verbs: number; values: number } | { verb: string; found: string }>({
    slug: "format-of-other-values",
    severity: "warning",
    message: (d) =>
      "verb" in d
        ? `\`${d.verb}\` does not write ${d.found}.`
        : `This format has ${d.verbs === 0 ? "no verb" : d.verbs === 1 ? "one verb" : `${d.verbs} verbs`}, but \`format\` gets ${d.values === 1 ? "one value" : `${d.values} values`}.`,
    hint: (d) =>
      "verb" in d
        ? "Write `%v`, which writes any value, or convert the value."
        : "Write a verb for each value, such as `%v`, and `%%` for the sign itself.",
  }),
  GW3132: entry<{ method: string; text: string }>({
    slug: "order-by-a-text",
    severity: "warning",
    message: (d) =>
      `\`${d.method}\` compares the text \`${d.text}\` here, which is the same for every element.`,
    hint: (d) =>
      /^[A-Za-z_]\w*$/.test(d.text)
        ? `Read it from each element: \`${d.method}(each -> each.${d.text})\`.`
        : "Read the compared value from each element: `each -> each.id`.",
    fix: ({ text }, span) =>
      /^[A-Za-z_]\w*$/.test(text) ? rewrite(span, `each -> each.${text}`) : undefined,
  }),
  GW3133: entry<{ name: string; path: string }>({
    slug: "assignment-to-this",
    severity: "warning",
    message: (d) =>
      d.name === "this"
        ? "This sets a field named `this` of the result; the message itself cannot be changed."
        : `This sets a field named \`${d.name}\` of the result.`,
    hint: (d) =>
      d.name === "meta"
        ? `Write \`meta ${d.path} = …\` for metadata, or \`root.meta.${d.path} = …\` for the field.`
        : `Write \`root${d.path === "" ? "" : `.${d.path}`} = …\`.`,
    fix: (d, span) => (d.name === "meta" ? undefined : replaceText(span, "root", false)),
  }),
  GW3134: entry<{ method: string; path: string; written: string }>({
    slug: "order-asked-otherwise",
    severity: "warning",
    message: (d) =>
      d.method === "sort"
        ? "`sort` expects a comparison of `left` and `right`."
        : "`sort_by` expects a value of each element, not a comparison of `left` and `right`.",
    hint: (d) => {
      const below = /^[A-Za-z_][\w.]*$/.test(d.path) ? `.${d.path}` : "";
      return d.method === "sort"
        ? `Write \`sort_by(each -> each${below})\` or \`sort(left${below} < right${below})\`.`
        : `Write \`sort(${d.written})\` or \`sort_by(each -> each${below})\`.`;
    },
  }),
  GW3135: entry<{ written: string; count: number; meant: string | undefined }>({
    slug: "replacement-of-no-group",
    severity: "warning",
    message: (d) => `The pattern has no group for \`${d.written}\`, which is replaced by nothing.`,
    hint: (d) => {
      if (d.meant !== undefined) return `Write \`${d.meant}\`: letters and digits after \`$\` are one name.`;
      if (/[A-Za-z_]/.test(d.written))
        return `Name a group, as in \`(?P<name>…)\`; environment variables are read with \`env("NAME")\`.`;
      return `The pattern has ${d.count === 0 ? "no group" : d.count === 1 ? "one group" : `${d.count} groups`}. Write \`$$\` for the sign itself.`;
    },
  }),
  GW3129: entry<Readonly<Record<never, never>>>({
    slug: "root-outside-mapping",
    severity: "warning",
    message: () => "`root` always fails here, because only mappings make a new message.",
    hint: () => "Read the message with `this`.",
    fix: (_, span) => replaceText(span, "this", false),
  }),
  GW3130: entry<{ name: string; successor: string | undefined; isSame: boolean }>({
    slug: "deprecated-builtin",
    severity: "info",
    message: (d) => `\`${d.name}\` is deprecated.`,
    hint: (d) => {
      if (d.successor === undefined) return undefined;
      if (d.isSame) return `Use \`${d.successor}\`, which has the same result here.`;
      return `Use \`${d.successor}\`. Its result can differ, so compare the two.`;
    },
    fix: (d, span) => (d.successor === undefined ? undefined : replaceText(span, d.successor, d.isSame)),
  }),
};
