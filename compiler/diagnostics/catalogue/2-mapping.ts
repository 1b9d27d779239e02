// Mapping syntax. Every entry also has `reference`: the text and position with which the reference engine reports
// the same mistake, for callers that compare with it.

import { type Span, spanOf } from "../../source/source.ts";
import { type DiagnosticEntry, entry, type Fix } from "../diagnostic.ts";
import { respell, rewrite } from "../fixes/respell.ts";
import { translate } from "../fixes/translate.ts";
import type { Nearest } from "../suggest.ts";

/** Details of every syntax error. */
export interface Syntax {
  /** `line 3 char 11: expected line break` */
  readonly reference: string;
}

/** Known kinds of syntax errors, with their hints. */
const habits = {
  "bracket-target": 'Separate the segments of a target with dots: `root.items.0`, `root."any name"`.',
  "call-brackets": 'Call functions with parentheses: `throw("why")`.',
  "colon-target": "Assign with ` = `: `root.a = this.b`.",
  comment: "Start comments with `#`.",
  concatenation: "Concatenate strings with `+`.",
  "compound-assignment": "Write the assignment in full: `root.a = root.a + 1`.",
  "computed-key": 'Put computed keys in parentheses: `{("a" + "b"): 1}`.',
  "default-value": "Write a fallback for null and errors with `|`: `this.a | 0`.",
  "decimal-comma": "Write a number with a point: `12.5`.",
  deletion: "Remove a field with `root.name = deleted()`.",
  "dash-in-name": 'Quote names that contain other characters: `root."content-type"`.',
  environment: 'Read the environment with `env("NAME")`, and fields of the message with `this.name`.',
  "else-condition": "Write a condition after `else if`, or `else { … }`.",
  "else-if": "Write `else if` with exactly one space.",
  "fat-arrow": "Write a lambda with a thin arrow and spaces around it: `item -> item.id`.",
  "import-path": 'Write only the path, in double quotes: `import "./maps.blobl"`.',
  index: "Write brackets without a dot: `this.items[0]`, `this.items[-1]`.",
  "joined-lines": "Start the text with `|`, as in `mapping: |`. Without it YAML joins its lines into one.",
  lambda: "Write a lambda as `item -> item.id`.",
  "lambda-parameters":
    "Name one parameter. That of `fold` has both values: `item -> item.tally + item.value`.",
  "line-start": "Move the operator, comma or dot to the end of the previous line.",
  "literal-prefix": "Prefix names that start with `true`, `false`, `null` or a digit with `this.`.",
  loop: "Go through an array with `.map_each(item -> …)` or `.filter(item -> …)`.",
  "match-arrow": "Separate a pattern from its value with `=>`.",
  membership: 'Look into arrays, strings and objects with `.contains(…)`: `["a", "b"].contains(this.c)`.',
  "metadata-name": 'Quote names that contain other characters: `meta "content-type" = …`.',
  "metadata-target": "Set metadata with `meta name = …`, or compare it with `==`.",
  "missing-blank": "Put a space after `if` and `match`.",
  "optional-chaining": "Remove the `?`: a field of null is null. For a fallback write `this.a.b | 0`.",
  "name-in-quotes": 'Quote names that contain other letters than a–z, A–Z, digits and `_`: `root."größe"`.',
  "number-form": "Write numbers as plain digits, with digits on both sides of a point.",
  "parameter-name": "Name parameters with the letters a–z and A–Z, digits and `_`.",
  "quoted-field": 'Read fields whose names contain other letters as `this."größe"`.',
  "quoted-target": 'Prefix the target with `root.`: `root."any name" = …`.',
  "quoted-variable": 'Read variables whose names contain other characters with `var("any name")`.',
  quotes: 'Put strings in double quotes, or between `"""` if they contain quotes or line breaks.',
  return: "Remove it: the value of a block is the expression in it.",
  "root-path": "Read fields of the message with `this`: `this.id`.",
  "double-equals": "Write `root.a = this.b`; `==` compares two values.",
  "single-equals": "Compare with `==`. An assignment starts with its target: `root.name = …`.",
  switch: 'Use `match this.kind { "a" => 1, _ => 2 }`, without `case`.',
  "template-string": 'Concatenate with `+`, or write `"order %v".format(this.id)`.',
  typeof: 'Ask for the type with `.type()`: `this.a.type() == "string"`.',
  semicolon: "Remove it; a line break ends a statement.",
  ternary: "Use `if a { b } else { c }`.",
  "thin-arrow": "Put spaces around the arrow of a lambda: `item -> item.id`.",
  "turned-comparison": "Write `<=` or `>=`.",
  "triple-equals": "Compare with `==` and `!=`.",
  "unopened-bracket": "Remove it, or add the bracket that opens it.",
  "value-below": "Begin the value in the line of its `=`, or put it in parentheses that begin there.",
  "variable-name": "Write the name without `$`: `let name = …`.",
  "variable-target": "Set variables with `let name = …`.",
  "word-comparison": "Compare with `==` and `!=`.",
  "word-operator": "Use `&&`, `||` and `!`.",
} as const;

/** A kind of syntax error that has its own hint. */
export type Habit = keyof typeof habits;

/** A syntax error that may be of a known kind. */
export interface WithHabit extends Syntax {
  /** The text as it reads in a sentence: a token in backticks, or `the end of the line`. */
  readonly found: string;
  readonly habit?: Habit | undefined;
}

function shorten(text: string): string {
  return text.length > 24 ? `${text.slice(0, 24)}…` : text;
}

function advise(habit: Habit | undefined, otherwise?: string): string | undefined {
  return habit === undefined ? otherwise : habits[habit];
}

/** Rewrites syntax of a known kind. */
function translated({ habit }: WithHabit, span: Span): Fix | undefined {
  return translate(habit, span);
}

export const mappingEntries = {
  GW2001: entry<WithHabit & { expected: string }>({
    slug: "unexpected-text",
    severity: "error",
    message: (d) => `Expected ${d.expected}, found ${d.found}.`,
    hint: (d) => advise(d.habit),
    fix: translated,
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
    message: (d) => `Unknown escape \`${d.escape}\` in a string.`,
    hint: () =>
      'Use `\\n`, `\\t`, `\\"`, `\\\\`, `\\xHH` or `\\uHHHH`, or a raw string between `"""` without escapes.',
  }),
  GW2004: entry<Syntax>({
    slug: "line-break-in-string",
    severity: "error",
    message: () => "This string is not closed on its line.",
    hint: () => 'Add the closing `"`. For a line break write `\\n`, or put the text between `"""`.',
  }),
  GW2005: entry<Syntax & { digits: string; type: string }>({
    slug: "number-out-of-range",
    severity: "error",
    message: (d) =>
      `\`${shorten(d.digits)}\` is too large for ${d.type === "integer" ? "an integer" : "a number"}.`,
    hint: (d) =>
      d.type === "integer"
        ? "Use an integer below 9223372036854775808, or a decimal point: `1.0`."
        : undefined,
  }),
  GW2006: entry<WithHabit>({
    slug: "missing-blank-at-assignment",
    severity: "error",
    message: (d) =>
      d.habit === "double-equals" ? "An assignment has a single `=`." : "`=` needs a space on both sides.",
    hint: (d) => advise(d.habit, "Write `root.a = this.b`."),
    fix: (d, { source, start, end }) => {
      if (d.habit === "double-equals") return rewrite(spanOf(source, start, end), "=");
      const [before, after] = [source.text.charAt(start - 1), source.text.charAt(end)];
      const written = source.text.slice(start, end);
      if (written !== "=") return undefined;
      return rewrite(
        spanOf(source, start, end),
        `${/\s/.test(before) ? "" : " "}=${/\s/.test(after) ? "" : " "}`,
      );
    },
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
    message: (d) => `Missing value before ${d.found}.`,
    hint: (d) => advise(d.habit, "Add an expression, such as `this.a`, `$name`, `5` or `now()`."),
    fix: translated,
  }),
  GW2009: entry<Syntax & { close: string; isCutOff?: boolean }>({
    slug: "unclosed-bracket",
    severity: "error",
    message: (d) => `Missing ${d.close}: this bracket is not closed.`,
    hint: (d) =>
      d.isCutOff === true
        ? "Quote the whole text: a comma ends it inside `{ }` and `[ ]`."
        : `Add ${d.close}.`,
  }),
  GW2010: entry<Syntax & { habit?: Habit | undefined }>({
    slug: "empty-mapping",
    severity: "error",
    message: () => "The mapping contains no statement.",
    hint: (d) => advise(d.habit, "Write an assignment such as `root = this`, or remove the mapping."),
  }),
  GW2011: entry<WithHabit>({
    slug: "text-after-shorthand",
    severity: "error",
    message: (d) => `Unexpected ${d.found} after an expression without a target.`,
    hint: (d) => advise(d.habit, "Assign the expression to a target: `root = …`."),
    fix: translated,
  }),
  GW2012: entry<WithHabit>({
    slug: "text-after-statement",
    severity: "error",
    message: (d) => `Expected a line break before ${d.found}.`,
    hint: (d) => advise(d.habit, "Put each statement on its own line."),
    fix: translated,
  }),
  GW2013: entry<WithHabit>({
    slug: "missing-tail",
    severity: "error",
    message: (d) => `Expected a field or method name after the dot, found ${d.found}.`,
    hint: (d) => advise(d.habit, 'Name a field, `.id` or `."any name"`, or call a method, `.keys()`.'),
  }),
  GW2014: entry<Syntax & { label: string }>({
    slug: "reserved-label",
    severity: "error",
    message: (d) => `\`${d.label}\` cannot be the parameter of a lambda.`,
    hint: () => "Choose another name, such as `item -> item.id`.",
  }),
  GW2015: entry<Syntax & { label: string }>({
    slug: "shadowed-label",
    severity: "error",
    message: (d) => `An enclosing lambda already declares the parameter \`${d.label}\`.`,
    hint: () => "Rename the parameter of the inner lambda.",
  }),
  GW2016: entry<Syntax & { outer: string; inner: string; body: number; uses: readonly number[] }>({
    slug: "doubled-lambda",
    severity: "error",
    message: (d) => `The lambda parameters \`${d.outer}\` and \`${d.inner}\` would be the same value.`,
    hint: (d) => `Remove \`${d.inner} ->\`, and use \`${d.outer}\` instead of \`${d.inner}\`.`,
    fix: ({ outer, inner, body, uses }, { source, start }) => ({
      title: `Use \`${outer}\` for both.`,
      isSafe: false,
      edits: [
        { span: spanOf(source, start, body), text: "" },
        ...uses.map((at) => ({ span: spanOf(source, at, at + inner.length), text: outer })),
      ],
    }),
  }),
  GW2017: entry<Syntax & { name: string }>({
    slug: "duplicate-map",
    severity: "error",
    message: (d) => `Duplicate map \`${d.name}\`.`,
    hint: () => "Rename or remove one of the two maps.",
  }),
  GW2018: entry<Syntax & { key: string }>({
    slug: "key-not-text",
    severity: "error",
    message: (d) => `\`${d.key}\` cannot be an object key, because it is not a string.`,
    hint: () => "Put the key in double quotes.",
    fix: (d, span) => (/^[\w.-]+$/.test(d.key) ? rewrite(span, `"${d.key}"`) : undefined),
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
    message: () => "This call mixes named and positional arguments.",
    hint: () => "Name all arguments or none.",
  }),
  GW2021: entry<Syntax & { name: string }>({
    slug: "duplicate-argument",
    severity: "error",
    message: (d) => `Duplicate argument \`${d.name}\`.`,
    hint: () => "Remove one of the two.",
  }),
  GW2022: entry<Syntax & { limit: number }>({
    slug: "nested-too-deep",
    severity: "error",
    message: (d) => `This expression is nested or chained more than ${d.limit} levels deep.`,
    hint: () => "Move parts of it to `let` statements or maps.",
  }),
  GW2023: entry<Syntax>({
    slug: "text-after-from",
    severity: "error",
    message: () => "A mapping that starts with `from` cannot contain other statements.",
    hint: () => "Remove the rest, or import only the maps with `import`.",
  }),
  GW2024: entry<WithHabit>({
    slug: "unclosed-interpolation",
    severity: "error",
    message: (d) => `Expected \`}\` at the end of this \`\${!\` expression, found ${d.found}.`,
    hint: (d) =>
      advise(
        d.habit,
        "Add `}` after the expression. For the characters `${!…}` themselves, write `${{!…}}`.",
      ),
  }),
  GW2025: entry<Syntax>({
    slug: "unclosed-escape",
    severity: "error",
    message: () => "This `${{!` has no closing `}}`.",
    hint: () => "Add `}}` at the end of the escaped text.",
  }),
  GW2026: entry<WithHabit & { habit: Habit }>({
    slug: "foreign-syntax",
    severity: "error",
    message: (d) => `The mapping language has no ${d.found}.`,
    hint: (d) => advise(d.habit),
    fix: translated,
  }),
  GW2028: entry<
    Syntax & { kind: "function" | "method"; name: string; advice?: string | undefined } & Partial<Nearest>
  >({
    slug: "name-in-upper-case",
    severity: "error",
    message: (d) => `Unknown ${d.kind} \`${d.name}\`.`,
    hint: (d) =>
      d.advice ??
      (d.closest === undefined
        ? "Write names of functions and methods in lower case, with `_` between words: `map_each`."
        : `Did you mean \`${d.closest}\`?`),
    fix: (d, span) => respell(span, d.name, d),
  }),
  GW2027: entry<WithHabit>({
    slug: "not-a-statement",
    severity: "error",
    message: (d) => `A statement cannot start with ${d.found}.`,
    hint: (d) => advise(d.habit, "Start with a target, `let`, `meta`, `if`, `map` or `import`."),
    fix: translated,
  }),
};

/** A code of mapping syntax. */
export type MappingCode = keyof typeof mappingEntries;

/** The details that a code of mapping syntax requires. */
export type MappingDetails<C extends MappingCode> =
  (typeof mappingEntries)[C] extends DiagnosticEntry<infer D> ? D : never;
