// RE2 regular expressions, whose time grows linearly with the text: patterns may come from messages.

import { type Matcher, RE2JS, RE2JSSyntaxException } from "re2js";
import { MappingError } from "../errors.ts";
import type { ObjectValue, Value } from "../message/value.ts";
import { encodeUtf8 } from "../text/utf8.ts";
import { textArgument, textTarget } from "./arguments.ts";

const compiled = /* @__PURE__ */ new Map<string, RE2JS>();
/** The number of cached patterns at which the cache is cleared: computed patterns could fill the memory. */
const mostCompiled = 500;

/** `.re_match(pattern)` */
export function reMatch(target: Value, from: string, pattern: Value): boolean {
  return expression("re_match", pattern).matcher(textTarget(target, from)).find();
}

/** `.re_find_all(pattern)` */
export function reFindAll(target: Value, from: string, pattern: Value): readonly Value[] {
  return matches("re_find_all", target, from, pattern).map((groups) => groups[0] ?? "");
}

/** `.re_find_all_submatch(pattern)`: for each match, returns an array of the match and its groups. */
export function reFindAllSubmatch(target: Value, from: string, pattern: Value): readonly Value[] {
  return matches("re_find_all_submatch", target, from, pattern);
}

/**
 * `.re_find_object(pattern)`: returns the first match and its groups by name or number; `{}` if there is no match. The
 * values are bytes if the target is bytes.
 */
export function reFindObject(target: Value, from: string, pattern: Value): ObjectValue {
  const [first] = matches("re_find_object", target, from, pattern);
  return first === undefined ? {} : named(first, expression("re_find_object", pattern), target);
}

/** `.re_find_all_object(pattern)`: like `re_find_object`, for each match. */
export function reFindAllObject(target: Value, from: string, pattern: Value): readonly Value[] {
  const names = expression("re_find_all_object", pattern);
  return matches("re_find_all_object", target, from, pattern).map((groups) => named(groups, names, target));
}

/** `.re_replace_all(pattern, value)`: in `value`, `$1` and `${name}` stand for groups, and `$$` for a dollar sign. */
export function reReplaceAll(target: Value, from: string, pattern: Value, value: Value): string {
  return replaced("re_replace_all", target, from, pattern, value);
}

/** `.re_replace(pattern, value)`: the former name of `re_replace_all`. */
export function reReplace(target: Value, from: string, pattern: Value, value: Value): string {
  return replaced("re_replace", target, from, pattern, value);
}

function replaced(method: string, target: Value, from: string, pattern: Value, value: Value): string {
  const source = textArgument(`method '${method}'`, "pattern", pattern);
  const template = textArgument(`method '${method}'`, "value", value);
  const search = compiledRegexp(source, refuse);
  const text = textTarget(target, from);
  let result = "";
  let copied = 0;
  eachMatch(search, text, (matcher) => {
    result += text.slice(copied, matcher.start()) + expanded(template, matcher, search);
    copied = matcher.end();
  });
  return result + text.slice(copied);
}

/** Compiles a pattern before the target is checked, so that errors of the pattern do not name the target's origin. */
function expression(method: string, pattern: Value): RE2JS {
  return compiledRegexp(textArgument(`method '${method}'`, "pattern", pattern), refuse);
}

function refuse(reason: string): never {
  throw new MappingError(reason);
}

/** The names of groups by number, of patterns that use a name several times: the library refuses them. */
const repeatedNames = /* @__PURE__ */ new WeakMap<RE2JS, ReadonlyMap<number, string>>();

/** Returns the names of a pattern's groups by number. Several groups can have the same name. */
export function groupNames(search: RE2JS): ReadonlyMap<number, string> {
  const entries = Object.entries(search.namedGroups());
  return repeatedNames.get(search) ?? new Map(entries.map(([name, number]) => [number, name]));
}

function compile(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException) || !error.message.includes("duplicate capture group"))
      throw error;
    const { names, plain } = withoutNames(pattern);
    const search = RE2JS.compile(plain);
    repeatedNames.set(search, names);
    return search;
  }
}

/** Returns a pattern without the names of its groups, and the names. */
function withoutNames(pattern: string): {
  readonly names: ReadonlyMap<number, string>;
  readonly plain: string;
} {
  const names = new Map<number, string>();
  let plain = "";
  let groups = 0;
  let isClass = false;
  const isNext = (text: string, at: number) => pattern.startsWith(text, at);
  const endAfter = (text: string, from: number) => {
    const end = pattern.indexOf(text, from);
    return end === -1 ? pattern.length : end + text.length;
  };
  for (let at = 0, end = 0; at < pattern.length; at = end) {
    end = at + 1;
    let kept = true;
    if (isNext("\\", at)) end = isNext("\\Q", at) && !isClass ? endAfter("\\E", at) : at + 2;
    else if (isClass && isNext("[:", at)) end = endAfter(":]", at);
    else if (isClass) isClass = !isNext("]", at);
    else if (isNext("[", at)) {
      isClass = true;
      if (isNext("^", end)) end++;
      if (isNext("]", end)) end++;
    } else if (isNext("(", at)) {
      kept = !isNext("(?P<", at) && !isNext("(?<", at);
      if (!kept) {
        end = endAfter(">", at);
        names.set(groups + 1, pattern.slice(pattern.indexOf("<", at) + 1, end - 1));
      }
      if (!kept || !isNext("?", end)) groups++;
    }
    plain += kept ? pattern.slice(at, end) : "(";
  }
  return { names, plain };
}

/**
 * Returns a compiled pattern from the cache, or compiles it. Calls `fail`, which throws, with the reason if it is
 * invalid.
 */
export function compiledRegexp(pattern: string, fail: (reason: string) => never): RE2JS {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  try {
    const fresh = compile(pattern);
    if (compiled.size >= mostCompiled) compiled.clear();
    compiled.set(pattern, fresh);
    return fresh;
  } catch (error) {
    if (error instanceof RE2JSSyntaxException) return fail(error.message);
    throw error;
  }
}

function matches(method: string, target: Value, from: string, pattern: Value): readonly string[][] {
  const found: string[][] = [];
  eachMatch(expression(method, pattern), textTarget(target, from), (matcher) => {
    const groups = Array.from({ length: matcher.groupCount() + 1 }, (_, index) => matcher.group(index) ?? "");
    found.push(groups);
  });
  return found;
}

/**
 * Visits all matches. As in the reference engine, an empty match directly after another match does not count. In bytes,
 * the matcher counts bytes.
 */
export function eachMatch(search: RE2JS, text: string | Uint8Array, visit: (matcher: Matcher) => void): void {
  const matcher = search.matcher(text);
  let end = -1;
  while (matcher.find()) {
    const empty = matcher.start() === matcher.end();
    if (!empty || matcher.start() !== end) visit(matcher);
    end = matcher.end();
  }
}

/**
 * Returns the parts of a text between the matches that `eachOf` visits, at most `most` of them if it is positive. As in
 * Go, an empty match at the beginning separates nothing.
 */
export function partsBetween(
  text: string,
  most: number,
  eachOf: (visit: (matcher: Matcher) => void) => void,
): string[] {
  const parts: string[] = [];
  let start = 0;
  let last = 0;
  eachOf((matcher) => {
    if (most > 0 && parts.length === most - 1) return;
    last = matcher.start();
    if (matcher.end() !== 0) parts.push(text.slice(start, last));
    start = matcher.end();
  });
  if (last !== text.length) parts.push(text.slice(start));
  return parts;
}

function named(groups: readonly string[], search: RE2JS, target: Value): ObjectValue {
  const names = groupNames(search);
  const found = typeof target === "string" ? groups : groups.map(encodeUtf8);
  return Object.fromEntries(found.map((group, index) => [names.get(index) ?? String(index), group]));
}

function expanded(template: string, matcher: Matcher, search: RE2JS): string {
  return template.replace(
    /\$(?:(\$)|([\p{L}\p{Nd}_]+)|\{([\p{L}\p{Nd}_]+)\})/gu,
    (_, dollar, plain, braced) => {
      if (dollar !== undefined) return "$";
      const name: string = plain ?? braced;
      if (!/^(0|[1-9][0-9]*)$/.test(name)) return namedGroup(name, matcher, search);
      return Number(name) <= matcher.groupCount() ? (matcher.group(Number(name)) ?? "") : "";
    },
  );
}

/** Returns the first group with a name that matched. */
function namedGroup(name: string, matcher: Matcher, search: RE2JS): string {
  for (const [number, each] of groupNames(search)) {
    const group = each === name ? matcher.group(number) : null;
    if (group !== null) return group;
  }
  return "";
}
