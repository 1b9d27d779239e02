// Mapping syntax. Every entry also carries `reference`: the text and position under which the reference
// engine reports the same mistake, for callers that compare with it.

import { type Entry, entry } from "../diagnostic.ts";

/** What every mistake of syntax tells. */
export interface Syntax {
  /** `line 3 char 11: expected line break` */
  readonly reference: string;
}

/** A mistake of a known kind, and what to do about it. */
const habits = {
  "bracket-target": 'Write segments of a target after dots: `root.items.0`, `root."any name"`.',
  "call-case": "Write names of functions and methods in lower case.",
  "colon-target": "Assign with a blank, `=` and a blank: `root.a = this.b`.",
  comment: "Start comments with `#`.",
  "compound-assignment": "Write the whole assignment out: `root.a = root.a + 1`.",
  "computed-key": 'Put keys that are computed in brackets: `{("a" + "b"): 1}`.',
  "dash-in-name": 'Quote names that hold other characters: `root."content-type"`.',
  "else-if": "Write `else if`, with exactly one blank.",
  "fat-arrow": "Write a lambda with blanks around a thin arrow: `item -> item.id`.",
  "line-start": "End the line before with the operator, comma or dot, not this one with it.",
  "literal-prefix": "Put `this.` before names that start with `true`, `false`, `null` or a digit.",
  "match-arrow": "Write `=>` between a pattern and its value.",
  "metadata-target": "Set metadata with `meta name = …`.",
  "missing-blank": "Put a blank after `if` and `match`.",
  "number-form": "Write numbers as plain digits, with digits on both sides of a point.",
  "quoted-target": 'Start the target with `root.`: `root."any name" = …`.',
  "quoted-variable": 'Read variables with other characters in their names by `var("any name")`.',
  quotes: 'Put text in double quotes, or between `"""` when it holds quotes or line breaks.',
  "single-equals": "Compare with `==`; to set something, begin with it: `root.name = …`.",
  semicolon: "End statements with a line break, and nothing else.",
  ternary: "Choose with `if a { b } else { c }`.",
  "thin-arrow": "Put blanks around the arrow of a lambda: `item -> item.id`.",
  "triple-equals": "Compare with `==` and `!=`.",
  "variable-target": "Set variables with `let name = …`.",
  "word-operator": "Write `&&`, `||` and `!`.",
} as const;

/** A kind of mistake that has advice of its own. */
export type Habit = keyof typeof habits;

/** A mistake that may be of a known kind. */
export interface WithHabit extends Syntax {
  /** As it reads in a sentence: a token in backticks, or `the end of the line`. */
  readonly found: string;
  readonly habit?: Habit | undefined;
}

function shorten(text: string): string {
  return text.length > 24 ? `${text.slice(0, 24)}…` : text;
}

function advise(habit: Habit | undefined, otherwise?: string): string | undefined {
  return habit === undefined ? otherwise : habits[habit];
}

export const mappingEntries = {
  GW2001: entry<WithHabit & { expected: string }>({
    slug: "unexpected-text",
    severity: "error",
    message: (d) => `Expected ${d.expected}, found ${d.found}.`,
    hint: (d) => advise(d.habit),
  }),
  GW2002: entry<Syntax & { quote: string }>({
    slug: "unterminated-string",
    severity: "error",
    message: (d) => `This string has no closing \`${d.quote}\`.`,
    hint: (d) => `Add \`${d.quote}\` where the string ends.`,
  }),
  GW2003: entry<Syntax & { escape: string }>({
    slug: "unknown-escape",
    severity: "error",
    message: (d) => `\`${d.escape}\` is not an escape that strings know.`,
    hint: () =>
      'Use `\\n`, `\\t`, `\\"`, `\\\\`, `\\xHH` or `\\uHHHH`, or a raw string between `"""` without escapes.',
  }),
  GW2004: entry<Syntax>({
    slug: "line-break-in-string",
    severity: "error",
    message: () => "A string in double quotes ends on the line where it starts.",
    hint: () => 'Write `\\n` for the line break, or put the text between `"""`.',
  }),
  GW2005: entry<Syntax & { digits: string; type: string }>({
    slug: "number-out-of-range",
    severity: "error",
    message: (d) =>
      `\`${shorten(d.digits)}\` is too large for ${d.type === "integer" ? "an integer" : "a number"}.`,
    hint: (d) =>
      d.type === "integer" ? "Keep integers below 9223372036854775808, or write a point: `1.0`." : undefined,
  }),
  GW2006: entry<WithHabit>({
    slug: "missing-blank-at-assignment",
    severity: "error",
    message: () => "`=` needs a blank on both sides.",
    hint: (d) => advise(d.habit, "Write `root.a = this.b`."),
  }),
  GW2007: entry<Syntax>({
    slug: "unended-comment",
    severity: "error",
    message: () => "The comment on the last line has no line break after it.",
    hint: () => "Add a line break at the end; in YAML, use `|` instead of `|-`.",
  }),
  GW2008: entry<WithHabit>({
    slug: "missing-value",
    severity: "error",
    message: (d) => `A value is missing before ${d.found}.`,
    hint: (d) => advise(d.habit, "Write a query here, such as `this.a`, `$name`, `5` or `now()`."),
  }),
  GW2009: entry<Syntax & { close: string }>({
    slug: "unclosed-bracket",
    severity: "error",
    message: (d) => `The text ends before ${d.close} closes what was opened.`,
    hint: (d) => `Add ${d.close}.`,
  }),
  GW2010: entry<Syntax>({
    slug: "empty-mapping",
    severity: "error",
    message: () => "The mapping has no statement.",
    hint: () => "Write an assignment such as `root = this`, or leave the mapping out.",
  }),
  GW2011: entry<WithHabit>({
    slug: "text-after-shorthand",
    severity: "error",
    message: (d) => `A query without a target is the whole text; ${d.found} cannot follow it.`,
    hint: (d) => advise(d.habit, "Put a target and ` = ` before the query, such as `root = `."),
  }),
  GW2012: entry<WithHabit>({
    slug: "text-after-statement",
    severity: "error",
    message: (d) => `The statement ends before ${d.found}, but the line goes on.`,
    hint: (d) => advise(d.habit, "Put each statement on a line of its own."),
  }),
  GW2013: entry<WithHabit>({
    slug: "missing-tail",
    severity: "error",
    message: (d) => `A method or field name is missing between the dot and ${d.found}.`,
    hint: (d) => advise(d.habit, 'Name a field, `.id` or `."any name"`, or call a method, `.keys()`.'),
  }),
  GW2014: entry<Syntax & { label: string }>({
    slug: "reserved-label",
    severity: "error",
    message: (d) => `A lambda cannot bind \`${d.label}\`.`,
    hint: () => "Choose another name for the value, such as `item -> item.id`.",
  }),
  GW2015: entry<Syntax & { label: string }>({
    slug: "shadowed-label",
    severity: "error",
    message: (d) => `A lambda around this one binds \`${d.label}\` already.`,
    hint: () => "Choose another name for the inner value.",
  }),
  GW2016: entry<Syntax & { outer: string; inner: string }>({
    slug: "doubled-lambda",
    severity: "error",
    message: (d) => `\`${d.outer}\` and \`${d.inner}\` would bind the same value.`,
    hint: (d) => `Drop \`${d.inner} ->\` and use \`${d.outer}\` in its place.`,
  }),
  GW2017: entry<Syntax & { name: string }>({
    slug: "duplicate-map",
    severity: "error",
    message: (d) => `A map \`${d.name}\` is defined already.`,
    hint: () => "Give this map another name, or remove one of the two.",
  }),
  GW2018: entry<Syntax & { key: string }>({
    slug: "key-not-text",
    severity: "error",
    message: (d) => `\`${d.key}\` cannot be the key of an object, because it is no string.`,
    hint: () => "Put the key in double quotes.",
  }),
  GW2019: entry<Syntax>({
    slug: "metadata-in-map",
    severity: "error",
    message: () => "A map cannot set metadata.",
    hint: () => "Move the `meta` statement to where the map is applied.",
  }),
  GW2020: entry<Syntax>({
    slug: "mixed-arguments",
    severity: "error",
    message: () => "This call has arguments with and without names.",
    hint: () => "Name all arguments, or none.",
  }),
  GW2021: entry<Syntax & { name: string }>({
    slug: "duplicate-argument",
    severity: "error",
    message: (d) => `The argument \`${d.name}\` is given twice.`,
    hint: () => "Remove one of the two.",
  }),
  GW2022: entry<Syntax & { limit: number }>({
    slug: "nested-too-deep",
    severity: "error",
    message: (d) => `This is nested or chained more than ${d.limit} levels deep.`,
    hint: () => "Take parts out into `let` statements or maps.",
  }),
  GW2023: entry<Syntax>({
    slug: "text-after-from",
    severity: "error",
    message: () => "A mapping that starts with `from` holds nothing else.",
    hint: () => "Remove what follows, or take over single maps with `import`.",
  }),
  GW2024: entry<WithHabit>({
    slug: "unclosed-interpolation",
    severity: "error",
    message: (d) => `The query of this \`\${!\` ends before ${d.found}, where \`}\` should stand.`,
    hint: (d) => advise(d.habit, "Add `}` behind the query; write `${{!…}}` for a plain `${!…}`."),
  }),
  GW2025: entry<Syntax>({
    slug: "unclosed-escape",
    severity: "error",
    message: () => "This `${{!` has no closing `}}`.",
    hint: () => "Add `}}` where the plain text ends.",
  }),
  GW2026: entry<WithHabit & { habit: Habit }>({
    slug: "foreign-syntax",
    severity: "error",
    message: (d) => `The mapping language has no ${d.found}.`,
    hint: (d) => advise(d.habit),
  }),
  GW2027: entry<WithHabit>({
    slug: "not-a-statement",
    severity: "error",
    message: (d) => `A statement cannot start with ${d.found}.`,
    hint: (d) => advise(d.habit, "Start with a target, `let`, `meta`, `if`, `map` or `import`."),
  }),
};

/** A code of mapping syntax. */
export type MappingCode = keyof typeof mappingEntries;

/** What a code of mapping syntax needs to be told. */
export type MappingDetails<C extends MappingCode> =
  (typeof mappingEntries)[C] extends Entry<infer D> ? D : never;
