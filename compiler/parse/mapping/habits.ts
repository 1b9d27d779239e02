// Recognises, at the place of a syntax error, what people write who know another language better.

import type { Habit } from "../../diagnostics/catalogue/2-mapping.ts";

interface HabitRule {
  readonly habit: Habit;
  /** Matched against the line up to the place. */
  readonly before?: RegExp;
  /** Matched against the line from the place on. */
  readonly after?: RegExp;
}

/** A habit and the text that shows it. */
export interface FoundHabit {
  readonly habit: Habit;
  readonly start: number;
  readonly end: number;
}

/** Tokens the language does not have. What `before` and `after` match together is the token. */
const foreignRules: readonly HabitRule[] = [
  { habit: "triple-equals", before: /[=!]=$/, after: /^=/ },
  { habit: "quotes", after: /^'([^']*')?/ },
  { habit: "quotes", after: /^`([^`]*`)?/ },
  { habit: "ternary", after: /^\?/ },
  { habit: "semicolon", after: /^;/ },
  { habit: "comment", before: /\/$/, after: /^[/*]/ },
  { habit: "comment", after: /^\/[/*]/ },
  { habit: "compound-assignment", after: /^([-+*/%|:]=|\+\+|--)/ },
  { habit: "compound-assignment", before: /(?<=[\w)\]"][ \t]*)([-+*/%]|\|\|?)$/, after: /^=/ },
  { habit: "else-if", after: /^(elif|elseif|elsif)\b/ },
  { habit: "word-operator", after: /^(and|or|not)\b/ },
  { habit: "fat-arrow", before: /(?<=[\w)][ \t]*)$/, after: /^=>/ },
];

/** Text that is fine elsewhere, with advice for this place. */
const adviceRules: readonly HabitRule[] = [
  { habit: "missing-blank", before: /\b(if|match)\(.*$/, after: /^\{/ },
  { habit: "missing-blank", before: /\bmatch$/, after: /^\{/ },
  { habit: "missing-blank", before: /\belse $/, after: /^if\(/ },
  { habit: "word-operator", before: /\S.*\bnot[ \t]+$/, after: /^[\w($@"]/ },
  { habit: "dash-in-name", before: /[\w.]$/, after: /^[^\x20-\x7e\s]/ },
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
  { habit: "variable-target", before: /^[ \t]*(const|var)[ \t]+$/, after: /^\w/ },
  { habit: "variable-target", before: /^[ \t]*\$\w+[ \t]*$/, after: /^=/ },
  { habit: "metadata-target", before: /^[ \t]*@.*$/, after: /^=/ },
  { habit: "quoted-target", before: /^[ \t]*$/, after: /^"[^"]*"[ \t]*=/ },
  { habit: "number-form", before: /(^|[^\w.])[0-9][0-9.]*$/, after: /^[eExXbBoO_]/ },
  { habit: "number-form", before: /(^|[^\w)\]"])$/, after: /^\.[0-9]/ },
  { habit: "literal-prefix", before: /(true|false|null|\b[0-9]+)$/, after: /^[A-Za-z_]/ },
  { habit: "call-case", before: /[A-Z]\w*$/, after: /^\(/ },
  { habit: "line-start", before: /^[ \t]*$/, after: /^([-+*/%|<>,.?]|&&|==|!=)/ },
];

/** A token at `at` that the language does not have. */
export function findForeignToken(text: string, at: number): FoundHabit | undefined {
  return findHabit(foreignRules, text, at);
}

/** Advice for text at `at` that does not belong there. */
export function findAdvice(text: string, at: number): Habit | undefined {
  return findHabit(adviceRules, text, at)?.habit;
}

/** Characters on each side that the rules look at: their expressions take the square of what they are given. */
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
    return { habit, start: at - leftText.trim().length, end: at + rightText.length };
  }
  return undefined;
}
