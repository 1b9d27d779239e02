// Grok expressions: regular expressions with references to patterns by name, `%{IP:client}`, `%{INT:size:int}`.

import { RE2JS, RE2JSSyntaxException } from "re2js";
import { MappingError } from "../../errors.ts";
import { float, int64OfText } from "../../mapping/numeric.ts";
import type { ObjectValue, Value } from "../../message/value.ts";
import { standardPatterns } from "./patterns.ts";

/** An expression that cannot be used, and why. */
export class GrokError extends Error {}

/** What names in expressions stand for, and which of them are captured. */
export interface GrokOptions {
  readonly definitions: Readonly<Record<string, string>>;
  readonly usesStandard: boolean;
  readonly namedOnly: boolean;
}

/** What is captured of a text: a path and a value for each group that has a name. */
export interface GrokExpression {
  /** The names that may be captured, with what their values are. */
  readonly fields: ReadonlyMap<string, "string" | "integer" | "number">;
  /** The values of the first match; `undefined` without one. Throws a `MappingError` where a value is not a number that it has to be. */
  match(text: string, removesEmpty: boolean): readonly (readonly [name: string, value: Value])[] | undefined;
}

/** A pattern whose references are filled in. */
interface Resolved {
  readonly source: string;
  /** What groups are really called whose names have other characters than letters, digits and `_`. */
  readonly names: ReadonlyMap<string, string>;
  /** `int` or `float`, by the name of the group. */
  readonly hints: ReadonlyMap<string, string>;
}

const reference = /%\{([\w.-]+)(?::([\w.-]+)(?::([\w.-]+))?)?\}/g;
/** The beginning of a group with a name, unless its parenthesis is escaped. */
const groupName = /((?:^|[^\\])(?:\\\\)*)\(\?P?<(\w+)>/g;
/** Patterns within patterns can double their size at each step. */
const longestSource = 1_000_000;

/** Makes expressions of texts. */
export function grokCompiler(options: GrokOptions): (text: string) => GrokExpression {
  const resolve = createResolver(options);
  return (text) => {
    const { source, names, hints } = resolve(text, []);
    const called: string[] = [];
    // A name may stand several times; the engine takes each once.
    const unique = source.replace(groupName, (_, before: string, group: string) => {
      called.push(group);
      return `${before}(?P<g${called.length - 1}>`;
    });
    const expression = compiled(unique);
    const groups = Object.entries(expression.namedGroups()).map(([key, index]) => {
      const group = called[Number(key.slice(1))] ?? key;
      return { index, name: names.get(group) ?? group, hint: hints.get(group) };
    });
    groups.sort((a, b) => a.index - b.index);
    return {
      fields: new Map(groups.map(({ name, hint }) => [name, typeOf(hint)])),
      match(content, removesEmpty) {
        const matcher = expression.matcher(content);
        if (!matcher.find()) return undefined;
        return groups.flatMap(({ index, name, hint }) => {
          const text = matcher.group(index) ?? "";
          return text === "" && removesEmpty ? [] : [[name, typedValue(text, hint)] as const];
        });
      },
    };
  };
}

function createResolver({ definitions, usesStandard, namedOnly }: GrokOptions) {
  const known = new Map<string, Resolved>();
  function find(name: string, within: readonly string[]): Resolved {
    const before = known.get(name);
    if (before !== undefined) return before;
    const standard =
      usesStandard && Object.hasOwn(standardPatterns, name) ? standardPatterns[name] : undefined;
    const text = standard ?? (Object.hasOwn(definitions, name) ? definitions[name] : undefined);
    if (text === undefined) throw new GrokError(`no pattern found for %{${name}}`);
    if (within.includes(name)) throw new GrokError(`the pattern \`${name}\` refers to itself`);
    const resolved = resolve(text, [...within, name]);
    known.set(name, resolved);
    return resolved;
  }
  function resolve(text: string, within: readonly string[]): Resolved {
    const names = new Map<string, string>();
    const hints = new Map<string, string>();
    const source = text.replace(reference, (_, name: string, alias?: string, hint?: string) => {
      const called = alias ?? name;
      const group = called.replace(/\W/g, "_");
      if (group !== called) names.set(group, called);
      if (hint !== undefined && hint !== "string") hints.set(group, hint);
      const inner = find(name, within);
      for (const [key, each] of inner.hints) if (!hints.has(key)) hints.set(key, each.toLowerCase());
      for (const [key, each] of inner.names) if (!names.has(key)) names.set(key, each);
      const isNamed = alias !== undefined || !namedOnly;
      return isNamed ? `(?P<${group}>${inner.source})` : `(${inner.source})`;
    });
    if (source.length > longestSource) throw new GrokError("the patterns make it too long");
    return { source, names, hints };
  }
  return resolve;
}

function compiled(source: string): RE2JS {
  try {
    return RE2JS.compile(source);
  } catch (error) {
    if (error instanceof RE2JSSyntaxException) throw new GrokError(error.message);
    throw error;
  }
}

function typeOf(hint: string | undefined): "string" | "integer" | "number" {
  return hint === "int" ? "integer" : hint === "float" ? "number" : "string";
}

function typedValue(text: string, hint: string | undefined): Value {
  if (hint === undefined) return text;
  if (hint === "int") {
    const whole = int64OfText(text);
    if (whole !== undefined) return whole;
  } else if (hint === "float") {
    const number = /^[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?$/.test(text)
      ? Number(text)
      : Number.NaN;
    if (Number.isFinite(number)) return float(number);
  }
  throw new MappingError(`grok: a value is not ${hint}`);
}

/** The object of captured values; a name with dots is a path. */
export function objectOf(values: readonly (readonly [name: string, value: Value])[]): ObjectValue {
  const root = new Map<string, unknown>();
  for (const [name, value] of values) {
    const keys = name.split(".");
    const last = keys.pop() ?? "";
    let at: Map<string, unknown> | undefined = root;
    for (const key of keys) {
      const inner: unknown = at?.get(key) ?? new Map();
      at?.set(key, inner);
      at = inner instanceof Map ? inner : undefined;
    }
    at?.set(last, value);
  }
  return plain(root);
}

function plain(fields: ReadonlyMap<string, unknown>): ObjectValue {
  const entries = [...fields].map(([key, each]) => [key, each instanceof Map ? plain(each) : each]);
  return Object.fromEntries(entries);
}
