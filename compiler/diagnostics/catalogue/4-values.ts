// Document meaning: formats, secrets, values that depend on other values, and values that processors cannot use.

import { entry } from "../diagnostic.ts";
import { respell, respellPart, rewrite } from "../fixes/respell.ts";
import { type Nearest, quoteAll } from "../suggest.ts";

/** A keyword of JSON Schema with a value of the wrong kind. */
export interface SchemaMistake {
  readonly keyword: string;
  readonly expected: string;
  readonly written?: string | undefined;
  readonly closest: string | undefined;
  readonly isComment?: boolean;
  /** How to write what was meant. */
  readonly advice?: string | undefined;
}

function messageOfMistake(d: SchemaMistake): string {
  return `Expected ${d.expected} for \`${d.keyword}\` in a JSON Schema.`;
}

function hintOfMistake({ isComment, closest, advice }: SchemaMistake): string | undefined {
  if (isComment === true) return "Quote the reference: ` #` starts a comment in YAML.";
  return closest === undefined ? advice : `Did you mean \`${closest}\`?`;
}

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
    fix: (d, span) => respell(span, d.name, d),
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

export const compositeEntries = {
  GW4120: entry<Record<never, never>>({
    slug: "switch-drops",
    severity: "warning",
    message: () => "Messages that match no case of this `switch` are dropped.",
    hint: () => "Add a last case without `check`, or set `strict_mode: true` to reject them.",
  }),
  GW4121: entry<{ field: string }>({
    slug: "batch-without-period",
    severity: "warning",
    message: (d) => `With only \`${d.field}\`, an incomplete batch waits forever.`,
    hint: () => "Add `period`, after which an incomplete batch is sent.",
  }),
  GW4122: entry<{ interval: string; reason: string }>({
    slug: "interval-unreadable",
    severity: "error",
    message: (d) => `\`${d.interval}\` is neither a duration nor a schedule: ${d.reason}.`,
    hint: ({ interval }) =>
      /^\d+(?:\.\d+)?$/.test(interval)
        ? `Add a unit, such as \`${interval}s\`.`
        : "Write a duration (`5s`) or a cron schedule with five or six fields (`30 3 * * *`).",
  }),
  GW4123: entry<{ channel: string }>({
    slug: "channel-without-reader",
    severity: "warning",
    message: (d) => `No stream reads the channel \`${d.channel}\`, so its messages wait forever.`,
    hint: (d) => `Add a stream whose input is \`inproc: ${d.channel}\`.`,
  }),
  GW4124: entry<{ channel: string; end?: "output" } & Partial<Nearest>>({
    slug: "channel-without-writer",
    severity: "warning",
    message: (d) =>
      d.closest === undefined
        ? `No stream writes to the channel \`${d.channel}\`, so this input never gets a message.`
        : d.end === "output"
          ? `Streams read \`${d.closest}\`, and never \`${d.channel}\`.`
          : `Streams write to \`${d.closest}\`, and never to \`${d.channel}\`.`,
    hint: (d) =>
      d.closest === undefined
        ? `Add an output \`inproc: ${d.channel}\` to another stream.`
        : `Did you mean \`${d.closest}\`?`,
    fix: (d, span) => respell(span, d.channel, d),
  }),
  GW4125: entry<{ endpoint: string }>({
    slug: "copies-of-an-endpoint",
    severity: "error",
    message: (d) => `\`${d.endpoint}\` serves routes, which its copies would serve too.`,
    hint: () => "Remove `copies`. One endpoint serves any number of clients.",
  }),
  GW4126: entry<{ channel: string }>({
    slug: "channel-in-a-circle",
    severity: "warning",
    message: (d) => `This stream reads what it writes to \`${d.channel}\`, which is a loop.`,
    hint: () => "Write to another channel, or end the loop with a condition and suppress this warning.",
  }),
  GW4128: entry<{ channel: string; stream: string }>({
    slug: "dead-letters-in-a-circle",
    severity: "warning",
    message: (d) => `Failed messages of \`${d.stream}\` go to \`${d.channel}\`, which the stream reads.`,
    hint: () => "Write dead letters to another topic, or they fail again without end.",
  }),
  GW4129: entry<{ columns: number; values: number }>({
    slug: "values-of-other-columns",
    severity: "warning",
    message: (d) =>
      `\`args_mapping\` returns ${countOf(d.values, "value")} for ${countOf(d.columns, "column")}.`,
    hint: () => "Give a value for each of `columns`, in their order.",
  }),
  GW4130: entry<{ label: string; stream: string }>({
    slug: "label-given-twice",
    severity: "warning",
    message: (d) => `Another component of \`${d.stream}\` has the label \`${d.label}\`.`,
    hint: () => "Change one of them: logs, metrics and traces tell components apart by their labels.",
  }),
  GW4131: entry<Readonly<Record<never, never>>>({
    slug: "cache-keeps-nothing",
    severity: "warning",
    message: () => "`set` without `value` keeps an empty text under the key.",
    hint: () => "Add the value to store, such as `value: ${! content() }`.",
  }),
  GW4127: entry<{ pattern: string; reason: string }>({
    slug: "error-pattern-unreadable",
    severity: "error",
    message: (d) => `\`${d.pattern}\` is not a valid regular expression: ${d.reason}.`,
    hint: () => "Use the syntax of RE2.",
  }),
};

/** The number of values that a statement receives and expects. */
export interface StatementValues {
  readonly placeholders: number;
  readonly values: number;
  readonly driver: string;
  /** Whether the placeholders of the driver are numbered. */
  readonly isNumbered: boolean;
  /** Whether the statement has placeholders of another driver. */
  readonly isForeign: boolean;
}

function countOf(count: number, what: string): string {
  return count === 1 ? `one ${what}` : `${count === 0 ? "no" : count} ${what}s`;
}

/** The reason why a value of a schema never has an effect. */
type SchemaFault = "empty" | "twice" | "type" | "none-fits" | "none-of-them" | "bound";

export const valueEntries = {
  GW4080: entry<{
    value: string;
    title: string;
    reason: string;
    example: string | undefined;
    /** Whether the example has nothing of the written value. */
    isOther?: boolean;
  }>({
    slug: "wrong-format",
    severity: "error",
    message: (d) => `Expected ${d.title}, got \`${d.value}\`: ${d.reason}.`,
    hint: (d) => {
      if (d.example === undefined) return undefined;
      return d.isOther === true ? `Write one such as \`${d.example}\`.` : `Write it as \`${d.example}\`.`;
    },
  }),
  GW4081: entry<{ field: string; variable: string; call?: true }>({
    slug: "literal-secret",
    severity: "warning",
    message: (d) => `\`${d.field}\` contains a secret in plain text.`,
    hint: (d) =>
      d.call
        ? `Read it when the gateway starts: \`env("${d.variable}")\`.`
        : `Read it when the gateway starts: \`\${${d.variable}}\`, or \`\${file:PATH}\` for a mounted one.`,
  }),
  GW4082: entry<{ variable: string; parameter?: string }>({
    slug: "password-in-address",
    severity: "warning",
    message: (d) =>
      d.parameter === undefined
        ? "This address contains a password in plain text."
        : `The parameter \`${d.parameter}\` of this address contains a secret in plain text.`,
    hint: (d) => `Read it when the gateway starts: \`\${${d.variable}}\`.`,
  }),
  GW4083: entry<Record<never, never>>({
    slug: "certificate-not-verified",
    severity: "warning",
    message: () => "The certificate of this server is not verified, so anyone can impersonate it.",
    hint: () => "Remove this field, and set `root_cas` to the certificate authority of the server.",
  }),
  GW4084: entry<{ field: string; other: string; value: string; limit: string }>({
    slug: "above-its-limit",
    severity: "warning",
    message: (d) => `\`${d.field}\` is ${d.value}, which exceeds \`${d.other}\` (${d.limit}).`,
    hint: (d) => `Set \`${d.other}\` to at least the value of \`${d.field}\`.`,
  }),
  GW4085: entry<{ field: string; other: string; value: string; limit: string }>({
    slug: "not-below-its-limit",
    severity: "error",
    message: (d) => `\`${d.field}\` is ${d.value} and must be less than \`${d.other}\` (${d.limit}).`,
    hint: (d) => `Decrease \`${d.field}\`, or increase \`${d.other}\`.`,
  }),
  GW4086: entry<{ component: string; field: string; held: string; wait: string }>({
    slug: "caller-gives-up-first",
    severity: "warning",
    message: (d) => `Callers time out after ${d.wait}, but \`${d.component}\` may take ${d.held}.`,
    hint: (d) => `Increase \`timeout\` of the input, or decrease \`${d.field}\`.`,
  }),
  GW4087: entry<{ name: string; effect: string }>({
    slug: "unsafe-not-allowed",
    severity: "error",
    message: (d) => `\`${d.name}\` ${d.effect} on the machine of the gateway, which is not allowed.`,
    hint: (d) => `Add \`${d.name}\` to \`allow_unsafe\` in the \`gateway.yaml\` of this document.`,
  }),
  GW4088: entry<{ name: string } & Nearest>({
    slug: "nothing-unsafe-of-that-name",
    severity: "warning",
    message: (d) => `\`${d.name}\` is not an unsafe component and needs no permission.`,
    hint: (d) => (d.closest === undefined ? "Remove it." : `Did you mean \`${d.closest}\`?`),
    fix: (d, span) => respellPart(span, d.name, d.closest),
  }),
  GW4090: entry<{ key: string }>({
    slug: "merge-makes-array",
    severity: "warning",
    message: (d) => `\`${d.key}\` already exists, so \`merge\` makes an array of both values.`,
    hint: () => "Use `assign`, which replaces the old value.",
  }),
  GW4091: entry<{ method: string; character: string; outcome: "never" | "always" }>({
    slug: "escaped-text-compared",
    severity: "warning",
    message: (d) =>
      `The result of \`${d.method}\` never contains \`${d.character}\`, so this is ${d.outcome} true.`,
    hint: (d) => `Compare before \`${d.method}\`, or escape the literal.`,
  }),
  GW4356: entry<{ keyword: string; reference: string; leadsTo: string }>({
    slug: "dynamic-reference-not-resolved",
    severity: "error",
    message: (d) => `\`${d.keyword}: ${d.reference}\` resolves to ${d.leadsTo} of this document.`,
    hint: () => "Refer to one schema by its `$dynamicAnchor`, or use `$ref`.",
  }),
  GW4357: entry<{ dialect: string; isOfDocument?: true }>({
    slug: "unknown-schema-dialect",
    severity: "error",
    message: (d) => `Unknown JSON Schema dialect \`${d.dialect}\`.`,
    hint: (d) =>
      `Remove \`${d.isOfDocument ? "jsonSchemaDialect" : "$schema"}\`, or use \`https://json-schema.org/draft/2020-12/schema\`.`,
  }),
  GW4358: entry<{ id: string }>({
    slug: "schema-id-declared-twice",
    severity: "error",
    message: (d) => `Duplicate \`$id\` \`${d.id}\`.`,
    hint: () => "Change the `$id` of one of the schemas.",
  }),
  GW4093: entry<{ keyword: string; isFormat?: boolean } & Nearest>({
    slug: "misspelt-schema-keyword",
    severity: "warning",
    message: (d) =>
      `Unknown ${d.isFormat === true ? "format" : "keyword"} \`${d.keyword}\` in a JSON Schema, which has no effect.`,
    hint: (d) => `Did you mean \`${d.closest}\`?`,
    fix: (d, span) => respell(span, d.keyword, d),
  }),
  GW4094: entry<{ version: string; types: readonly string[] }>({
    slug: "nullable-without-effect",
    severity: "warning",
    message: (d) => `OpenAPI ${d.version} has no \`nullable\`; validation ignores it.`,
    hint: (d) =>
      d.types.length === 0
        ? 'Write `anyOf` with the schema and `{ type: "null" }`.'
        : `Write \`type: [${d.types.join(", ")}, "null"]\`.`,
  }),
  GW4096: entry<{ type: string; closest: string }>({
    slug: "media-type-misspelt",
    severity: "warning",
    message: (d) => `Unknown media type \`${d.type}\`.`,
    hint: (d) => `Did you mean \`${d.closest}\`?`,
    fix: (d, span) => respellPart(span, d.type, d.closest),
  }),
  GW4288: entry<{ coding: string; closest: string }>({
    slug: "content-coding-misspelt",
    severity: "warning",
    message: (d) => `Unknown content coding \`${d.coding}\`.`,
    hint: (d) => `Did you mean \`${d.closest}\`?`,
    fix: (d, span) => respellPart(span, d.coding, d.closest),
  }),
  GW4097: entry<{ header: string; closest: string }>({
    slug: "header-misspelt",
    severity: "warning",
    message: (d) => `Unknown header \`${d.header}\`.`,
    hint: (d) => `Did you mean \`${d.closest}\`?`,
    fix: (d, span) => respellPart(span, d.header, d.closest),
  }),
  GW4098: entry<{ name: string } & Nearest>({
    slug: "required-name-misspelt",
    severity: "warning",
    message: (d) => `\`required\` names \`${d.name}\`, which \`properties\` does not declare.`,
    // It is unknown which of the two is misspelt, so the fix needs a person's decision.
    hint: (d) => d.closest && `Did you mean \`${d.closest}\`?`,
    fix: (d, span) => respellPart(span, d.name, d.closest),
  }),
  GW4099: entry<{ part: string; stream: string }>({
    slug: "part-beside-its-stream",
    severity: "error",
    message: (d) => `\`${d.part}\` stands beside the stream \`${d.stream}\`, not in it.`,
    hint: (d) => `Indent it below \`${d.stream}\`.`,
  }),
  GW4092: entry<SchemaMistake>({
    slug: "not-a-json-schema",
    severity: "error",
    message: messageOfMistake,
    hint: hintOfMistake,
    fix: (d, span) => respellPart(span, d.written ?? "", d.closest),
  }),
  GW4292: entry<{ keyword: string; types: readonly string[]; own: readonly string[] }>({
    slug: "keyword-of-another-type",
    severity: "warning",
    message: (d) => `\`${d.keyword}\` has no effect on values of the type ${quoteAll(d.types)}.`,
    hint: (d) => `Remove it, or write \`type: ${d.own[0]}\`.`,
  }),
  GW4293: entry<{ what: string; effect?: string }>({
    slug: "listed-twice",
    severity: "warning",
    message: (d) => `${d.what} twice${d.effect === undefined ? "" : `, so that ${d.effect}`}.`,
    hint: () => "Remove one of the two.",
  }),
  GW4291: entry<SchemaMistake>({
    slug: "description-not-a-json-schema",
    severity: "warning",
    message: messageOfMistake,
    hint: hintOfMistake,
    fix: (d, span) => respellPart(span, d.written ?? "", d.closest),
  }),
  GW4132: entry<{
    fault: SchemaFault;
    value: string;
    types?: readonly string[];
    keyword?: string;
    closest?: string | undefined;
  }>({
    slug: "schema-value-that-never-fits",
    severity: "warning",
    message: (d) => {
      if (d.fault === "empty") return "`enum` is empty, so that no value fits.";
      if (d.fault === "twice") return `\`enum\` contains \`${d.value}\` twice.`;
      if (d.fault === "none-of-them") return `The default \`${d.value}\` is not in \`enum\`.`;
      if (d.fault === "bound") return `The default \`${d.value}\` is outside \`${d.keyword}\`.`;
      const types = (d.types ?? []).map((type) => `\`${type}\``).join(" or ");
      return d.fault === "none-fits"
        ? `No value of \`enum\` is of the type ${types}.`
        : `\`${d.value}\` does not fit the type ${types}.`;
    },
    hint: (d) => {
      if (d.fault === "empty") return "List the values, or remove `enum`.";
      if (d.fault === "twice") return "Remove one of the two.";
      if (d.closest !== undefined) return `Did you mean \`${d.closest}\`?`;
      if (d.fault === "bound") return `Choose another default, or change \`${d.keyword}\`.`;
      if (d.fault === "none-of-them") return "Choose one of its values, or add this one.";
      if (d.fault === "none-fits" || d.types?.includes("string") !== true)
        return "Correct the type, or the values.";
      return `Quote it: \`"${d.value}"\`.`;
    },
    fix: (d, span) => respellPart(span, d.value, d.closest),
  }),
  GW4294: entry<
    { kind: "example" | "default" } & (
      | {
          field: string;
          problem: "missing" | "extra" | "value" | "type";
          found: string | undefined;
          wanted: string | undefined;
          closest: string | undefined;
          written: string;
        }
      | { value: string; keyword: string; format?: string }
    )
  >({
    slug: "example-of-another-schema",
    severity: "warning",
    message: (d) => {
      const owner = d.kind === "example" ? "The example" : "The default";
      if ("keyword" in d) {
        const limit = d.format === undefined ? `\`${d.keyword}\`` : `the format \`${d.format}\``;
        return `${owner} does not fit its schema: \`${d.value}\` violates ${limit}.`;
      }
      const field = d.field === "" ? "it" : d.field === "[]" ? "an element" : `\`${d.field}\``;
      if (d.problem === "missing") return `${owner} does not fit its schema, which requires ${field}.`;
      if (d.problem === "extra") return `${owner} does not fit its schema, which does not allow ${field}.`;
      return `${owner} does not fit its schema: ${field} is \`${d.found}\`, not \`${d.wanted}\`.`;
    },
    hint: (d) => {
      if ("keyword" in d) return "Correct the value, or the schema.";
      if (d.closest !== undefined) return `Did you mean \`${d.closest}\`?`;
      const isPlain = /^(?:[-+]?\d[\d.]*|true|false)$/.test(d.written);
      if (d.wanted === "string" && isPlain) return `Quote it: \`"${d.written}"\`.`;
      const bare = d.found?.replaceAll('"', "") ?? "";
      if (/^-?\d+(?:\.\d+)?$/.test(bare) && /integer|number/.test(d.wanted ?? ""))
        return `Remove the quotes: \`${bare}\`.`;
      return "Correct the value, or the schema.";
    },
  }),
  GW4133: entry<{ processor: string; field: string }>({
    slug: "key-of-all-messages",
    severity: "warning",
    message: (d) => `\`${d.field}\` of \`${d.processor}\` is the same for every message.`,
    hint: () => "Read it from the message: `${! this.id }`.",
  }),
  GW4134: entry<StatementValues>({
    slug: "values-of-other-placeholders",
    severity: "warning",
    message: (d) =>
      `\`args_mapping\` returns ${countOf(d.values, "value")}, and the statement has ${countOf(d.placeholders, "placeholder")}.`,
    hint: (d) => {
      if (!d.isForeign) return "Give a value for each placeholder, in their order.";
      const [own, other] = d.isNumbered ? ["`$1`, `$2` and so on", "`?`"] : ["`?` for each value", "`$1`"];
      return `Write ${own}: with \`${d.driver}\`, ${other} is not a placeholder.`;
    },
  }),
  GW4135: entry<{ name: string; subject: string } & Nearest>({
    slug: "streams-of-one-subject",
    severity: "warning",
    message: (d) =>
      `\`${d.subject}\` is read from \`${d.name}\` here and from \`${d.closest}\` elsewhere; a subject is in one stream.`,
    hint: (d) => `Did you mean \`${d.closest}\`?`,
    fix: (d, span) => respell(span, d.name, d),
  }),
  GW4139: entry<{ name: string }>({
    slug: "function-without-parentheses",
    severity: "warning",
    message: (d) => `\`${d.name}\` reads a field here; it does not call the function.`,
    hint: (d) => `Write \`${d.name}()\` to call the function, or \`this.${d.name}\` to read the field.`,
    fix: (d, span) => rewrite(span, `${d.name}()`),
  }),
};
