// Explains why a pattern is not a regular expression of RE2, in the words of the library that runs it.

import { RE2JS, RE2JSSyntaxException } from "re2js";

/** Returns why RE2 cannot read `pattern`, in the library's words; `undefined` if it can. */
export function whyNotRe2(pattern: string): string | undefined {
  return whyNot(pattern, (text) => RE2JS.compile(text));
}

/** Like `whyNotRe2`, for patterns of the mapping language, whose groups may have the same name. */
export function whyNotRegexp(pattern: string): string | undefined {
  return whyNot(pattern, compile);
}

function whyNot(pattern: string, compileIt: (pattern: string) => RE2JS): string | undefined {
  const stray = pattern.search(/[\udc80-\udcff]/u);
  if (stray >= 0) return `error parsing regexp: invalid UTF-8: \`${pattern.slice(stray).toWellFormed()}\``;
  try {
    compileIt(pattern);
    return undefined;
  } catch (error) {
    if (error instanceof RE2JSSyntaxException) return error.message;
    throw error;
  }
}

const groupStart = /\(\?P?<(\w+)>/g;

/** Compiles a pattern; without the names of its groups if several have the same name, which the library refuses. */
function compile(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException) || !error.message.includes("duplicate capture group"))
      throw error;
    return RE2JS.compile(pattern.replace(groupStart, "("));
  }
}

/**
 * Returns the number and the names of a pattern's groups, for replacements; `undefined` if RE2 cannot read the pattern.
 */
export function groupsOf(
  pattern: string,
): { readonly count: number; readonly names: readonly string[] } | undefined {
  if (whyNotRegexp(pattern) !== undefined) return undefined;
  const names = Array.from(pattern.matchAll(groupStart), ([, name = ""]) => name);
  return { count: compile(pattern).groupCount(), names };
}

/** Returns why RE2 cannot read a pattern of JSON Schema, which has the syntax of JavaScript. */
export function whyNotLinear(pattern: string): string | undefined {
  return whyNotRe2(RE2JS.translateRegExp(pattern));
}

/** Whether a pattern of JSON Schema occurs in a text; `undefined` if RE2 cannot read the pattern. */
export function matchesPattern(pattern: string, text: string): boolean | undefined {
  const translated = RE2JS.translateRegExp(pattern);
  return whyNotRe2(translated) === undefined ? RE2JS.compile(translated).matcher(text).find() : undefined;
}

/** Long names of general categories of Unicode, which JavaScript knows and RE2 does not. */
const categories: Readonly<Record<string, string>> = {
  Cased_Letter: "LC",
  Close_Punctuation: "Pe",
  Control: "Cc",
  Currency_Symbol: "Sc",
  Decimal_Number: "Nd",
  Format: "Cf",
  Letter: "L",
  Lowercase_Letter: "Ll",
  Mark: "M",
  Math_Symbol: "Sm",
  Modifier_Letter: "Lm",
  Nonspacing_Mark: "Mn",
  Number: "N",
  Open_Punctuation: "Ps",
  Other: "C",
  Other_Letter: "Lo",
  Punctuation: "P",
  Separator: "Z",
  Space_Separator: "Zs",
  Symbol: "S",
  Titlecase_Letter: "Lt",
  Uppercase_Letter: "Lu",
  digit: "Nd",
  punct: "P",
};

/** Returns `\p{L}` for `\p{Letter}`, and `\p{Greek}` for `\p{Script=Greek}`: what RE2 calls a property in a fault. */
export function propertyMeant(fault: string): string | undefined {
  const [, start = "", name = ""] = /(\\[pP]\{\^?)(?:\w{1,40}=)?(\w{1,40})\}/.exec(fault) ?? [];
  const own = Object.hasOwn(categories, name) ? categories[name] : name;
  const property = `${start}${own}}`;
  return start !== "" && whyNotRe2(property) === undefined ? property : undefined;
}
