// Recognises the habits of other languages in mappings, by the text around the place where the grammar fails.

import type { Habit } from "../../diagnostics/catalogue/2-mapping.ts";

interface HabitRule {
  readonly habit: Habit;
  /** Matched against the line up to the place. */
  readonly before?: RegExp;
  /** Matched against the line from the place on. */
  readonly after?: RegExp;
}

/** A habit from another language and the text that shows it. */
export interface FoundHabit {
  readonly habit: Habit;
  readonly start: number;
  readonly end: number;
}

/** The rest of a name from its first character on that only quoted names may contain. */
const otherLetters = String.raw`^(?![\0-\x7f])[\p{L}\p{M}\p{N}\p{So}\w]+(?![\p{L}\p{M}\p{N}\p{So}\w(])`;
const otherName = new RegExp(otherLetters, "u");
const otherKey = new RegExp(String.raw`${otherLetters}(?=[ \t]*:)`, "u");
const otherParameter = new RegExp(String.raw`${otherLetters}(?=[ \t]*->)`, "u");

/** Tokens that the language does not have. `before` and `after` together match the token. */
const foreignRules: readonly HabitRule[] = [
  { habit: "parameter-name", before: /(?<![\w.$@])\w*$/, after: otherParameter },
  { habit: "name-in-quotes", before: /(?<=[.@]|\b(?:let|meta|map)[ \t]+)\w*$/, after: otherName },
  { habit: "name-in-quotes", before: /(?<=(?:^|[{,])[ \t]*)\w*$/, after: otherKey },
  { habit: "quoted-variable", before: /\$\w*$/, after: otherName },
  { habit: "quoted-target", before: /(?<=^[ \t]*)\w*$/, after: otherName },
  { habit: "quoted-field", before: /(?<![\w.$@])\w*$/, after: otherName },
  { habit: "triple-equals", before: /[=!]=$/, after: /^=/ },
  { habit: "triple-equals", before: /<$/, after: /^>/ },
  { habit: "quotes", after: /^'([^']*')?/ },
  { habit: "quotes", after: /^[“”„‟«»][^“”„‟«»]*[“”«»]?/ },
  { habit: "quotes", after: /^[‘’‚‛][^‘’‚‛]*[‘’‛]?/ },
  { habit: "template-string", after: /^`[^`]*\$\{[^`]*`?/ },
  { habit: "template-string", before: /\bf$/, after: /^"[^"]*"?/ },
  { habit: "quotes", after: /^`([^`]*`)?/ },
  { habit: "default-value", after: /^\?[?:]/ },
  { habit: "optional-chaining", after: /^\?\./ },
  { habit: "ternary", after: /^\?/ },
  { habit: "ternary", before: /(?<=[\w)\]"][ \t]+)$/, after: /^then\b/ },
  { habit: "semicolon", after: /^;/ },
  { habit: "comment", before: /^[ \t]*$/, after: /^--/ },
  {
    habit: "default-value",
    before: /(?<=[\w)\]"}][ \t]+)\/?$/,
    after: /^\/\/?(?=[ \t]*(?:["\d[{]|(?:null|true|false|this)\b))/,
  },
  { habit: "comment", before: /\/$/, after: /^[/*]/ },
  { habit: "comment", after: /^\/[/*]/ },
  { habit: "compound-assignment", after: /^([-+*/%|:]=|\+\+|--)/ },
  { habit: "compound-assignment", before: /(?<=[\w)\]"][ \t]*)([-+*/%]|\|\|?)$/, after: /^=/ },
  { habit: "compound-assignment", before: /\+$/, after: /^\+/ },
  { habit: "else-if", after: /^(elif|elseif|elsif)\b/ },
  { habit: "else-if", before: /\belse$/, after: /^if\b/ },
  { habit: "word-operator", after: /^(and|or|not)\b/ },
  { habit: "word-operator", before: /\bnot[ \t]+$/, after: /^(?=[\w($@"])/ },
  { habit: "word-comparison", before: /(?<=[\w)\]"][ \t]+)$/, after: /^is(?:[ \t]+not)?\b/ },
  { habit: "membership", before: /(?<=[\w)\]"][ \t]+)$/, after: /^in\b/ },
  { habit: "typeof", before: /\btypeof[ \t]+$/, after: /^(?=[\w($@"])/ },
  { habit: "return", before: /\breturn[ \t]+$/, after: /^(?=\S)/ },
  { habit: "switch", before: /\b(?:switch|case)[ \t]+$/, after: /^(?=\S)/ },
  { habit: "variable-target", before: /^[ \t]*(?:const|var)[ \t]+$/, after: /^(?=\w)/ },
  { habit: "deletion", before: /^[ \t]*(?:delete|del|unset|remove)[ \t]*$/, after: /^(?=[\w(])/ },
  { habit: "loop", before: /^[ \t]*(?:for|foreach|while)[ \t]*$/, after: /^(?=[\w(])/ },
  { habit: "lambda", before: /\bfunction[ \t]*\([\w, ]*\)[ \t]*$/, after: /^\{/ },
  { habit: "lambda", before: /\blambda[ \t]+$/, after: /^(?=\w)/ },
  {
    habit: "lambda-parameters",
    before: /(?<=[(,][ \t]*)\([ \t]*\w+[ \t]*$/,
    after: /^,[ \t]*\w+(?:[ \t]*,[ \t]*\w+)*[ \t]*\)[ \t]*[-=]>/,
  },
  { habit: "lambda", before: /(?<=[(,][ \t]*)\([ \t]*\w+[ \t]*\)[ \t]*-$/, after: /^>/ },
  { habit: "lambda", before: /(?<=[(,][ \t]*)\([ \t]*\w+[ \t]*\)[ \t]*$/, after: /^=>/ },
  { habit: "root-path", before: /\$$/, after: /^\./ },
  { habit: "environment", before: /\$$/, after: /^\{[^}]*\}?/ },
  { habit: "fat-arrow", before: /(?<=[\w)][ \t]*)$/, after: /^=>/ },
];

/** Text that is valid elsewhere, with advice for this place. */
const adviceRules: readonly HabitRule[] = [
  { habit: "missing-blank", before: /\b(if|match)\(.*$/, after: /^\{/ },
  { habit: "missing-blank", before: /\bmatch$/, after: /^\{/ },
  { habit: "else-condition", before: /\belse if[ \t]*\{[^{}:]*$/ },
  { habit: "missing-blank", before: /\belse $/, after: /^if\(/ },
  { habit: "metadata-target", before: /^[ \t]*metadata[ \t]+$/, after: /^\w/ },
  { habit: "import-path", before: /^[ \t]*(?:from|import)[ \t]+$/, after: /^[^"=\s]/ },
  { habit: "decimal-comma", before: /(?:^|[^\w.])\d+$/, after: /^,\d/ },
  { habit: "single-equals", before: /\bif\b.*$/, after: /^=(?!=)/ },
  { habit: "ternary", before: /\bif\b.*$/, after: /^:/ },
  { habit: "ternary", before: /[\w)\]"][ \t]+$/, after: /^if\b/ },
  { habit: "ternary", before: /\bif\b[^{}]*[\w)\]"][ \t]+$/, after: /^["\w$@(]/ },
  { habit: "concatenation", before: /[\w)\]"][ \t]+$/, after: /^\.[ \t]/ },
  {
    habit: "call-brackets",
    before: /\b(?:throw|env|json|meta|metadata|content|deleted|now|error)[ \t]+$/,
    after: /^["$\w]/,
  },
  { habit: "index", before: /\.$/, after: /^(?:\[|-\d)/ },
  { habit: "root-path", before: /(?:[=(,{|:>]|\bif)[ \t]*$/, after: /^\.[A-Za-z_"]/ },
  { habit: "variable-name", before: /^[ \t]*let[ \t]+$/, after: /^\$/ },
  { habit: "metadata-name", before: /^[ \t]*meta[ \t]+\w+$/, after: /^[-.]/ },
  { habit: "computed-key", before: /[{,][ \t]*"[^"]*"[ \t]*$/, after: /^[-+.*|]/ },
  { habit: "match-arrow", before: /(["\d)]|\b_)[ \t]*-$/, after: /^>/ },
  { habit: "thin-arrow", before: /-$/, after: /^>/ },
  { habit: "quoted-variable", before: /\$$/, after: /^"/ },
  { habit: "bracket-target", before: /^[ \t]*[\w.]+\[.*\][\w.]*[ \t]*$/, after: /^=/ },
  { habit: "bracket-target", before: /^[ \t]*[\w.]+$/, after: /^\[/ },
  { habit: "dash-in-name", before: /^[ \t]*[\w.]*\w$/, after: /^-\w/ },
  { habit: "dash-in-name", before: /^[ \t]*[\w.]*\w-[-\w.]+[ \t]*$/, after: /^=/ },
  { habit: "quoted-target", before: /^[ \t]*"[^"]*"[ \t]*$/, after: /^=/ },
  { habit: "colon-target", before: /^[ \t]*[\w.]+[ \t]*$/, after: /^:/ },
  { habit: "variable-target", before: /^[ \t]*\$\w+[ \t]*$/, after: /^=/ },
  { habit: "variable-target", before: /^[ \t]*$/, after: /^\$\w+[ \t]*(?:[-+*/%]?=(?!=)|\+\+|--)/ },
  { habit: "metadata-target", before: /^[ \t]*$/, after: /^@/ },
  { habit: "metadata-target", before: /^[ \t]*@.*$/, after: /^=/ },
  { habit: "quoted-target", before: /^[ \t]*$/, after: /^"[^"]*"[ \t]*=/ },
  { habit: "number-form", before: /(^|[^\w.])[0-9][0-9.]*$/, after: /^[eExXbBoO_]/ },
  { habit: "number-form", before: /(^|[^\w)\]"])$/, after: /^\.[0-9]/ },
  { habit: "literal-prefix", before: /(true|false|null|\b[0-9]+)$/, after: /^[A-Za-z_]/ },
  { habit: "line-start", before: /^[ \t]*$/, after: /^([-+*/%|<>,.?]|&&|==|!=)/ },
];

/** Finds a token at `at` that the language does not have. */
export function findForeignToken(text: string, at: number): FoundHabit | undefined {
  return findHabit(foreignRules, text, at);
}

/** Finds advice for text at `at` that is not valid there. */
export function findAdvice(text: string, at: number): Habit | undefined {
  return findHabit(adviceRules, text, at)?.habit;
}

/** The number of characters on each side that the rules examine: their expressions take quadratic time. */
const reach = 200;

function findHabit(rules: readonly HabitRule[], text: string, at: number): FoundHabit | undefined {
  const [before = ""] = text
    .slice(Math.max(0, at - reach), at)
    .split("\n")
    .slice(-1);
  const [after = ""] = text.slice(at, at + reach).split("\n", 1);
  for (const { habit, before: left = /$/, after: right = /^/ } of rules) {
    const [leftText] = left.exec(before) ?? [];
    const [rightText] = right.exec(after) ?? [];
    if (leftText === undefined || rightText === undefined) continue;
    const start = at - leftText.trimStart().length;
    // The token excludes lookahead and the space before it.
    return { habit, start, end: rightText === "" ? start + leftText.trim().length : at + rightText.length };
  }
  return undefined;
}
