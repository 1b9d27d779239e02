// JSONPath (RFC 9535), and paths of plain names, which the reference engine accepts as well.

import { JSONPathEnvironment, JSONPathError, type JSONPathQuery } from "json-p3";
import { MappingError } from "../errors.ts";
import { isArray, isObject, type Value } from "../message/value.ts";
import { unicodePattern } from "../text/memo.ts";
import { textArgument } from "./arguments.ts";
import { nativeTypeName } from "./kinds.ts";
import { plainJson } from "./plain-json.ts";

/** The compiled expression of a call with a literal expression. It is compiled by the first call. */
export interface KeptQuery {
  query: Query | undefined;
}

type Query = (target: Value) => Value;

/** Returns a `KeptQuery` before the first call. */
export function createQuery(): KeptQuery {
  return { query: undefined };
}

/** `.json_path(expression)`: a path to a single place returns its value, any other path an array of all matches. */
export function jsonPath(
  kept: KeptQuery | undefined,
  target: Value,
  _from: string,
  expression: Value,
): Value {
  const text = textArgument("method 'json_path'", "expression", expression);
  const query = kept?.query ?? compile(text);
  if (kept !== undefined) kept.query = query;
  return query(target);
}

/** Matches paths such as `a.b[0]["c"]`, and the constants that look like a name. */
const bareNames = /* @__PURE__ */ unicodePattern(
  `^\\s*[\\p{L}_][\\p{L}\\p{N}_]*(?:\\s*\\.\\s*[\\p{L}_][\\p{L}\\p{N}_]*|\\s*\\[\\s*(?:\\d+|"[^"\\\\]*"|'[^'\\\\]*')\\s*\\])*\\s*$`,
);
const nameOf = /* @__PURE__ */ unicodePattern(`[\\p{L}\\p{N}_]+|"[^"]*"|'[^']*'`, "gu");
const constants: ReadonlyMap<string, Value> = /* @__PURE__ */ new Map([
  ["true", true],
  ["false", false],
  ["null", null],
]);

function compile(text: string): Query {
  if (bareNames().test(text)) {
    const names = Array.from(text.matchAll(nameOf()), ([name]) => name.replace(/^["']|["']$/g, ""));
    return (target) => valueOfNames(target, names);
  }
  const environment = new JSONPathEnvironment({ strict: false });
  // These functions take patterns for the JavaScript engine's regular expressions, which can run without end.
  environment.functionRegister.delete("match");
  environment.functionRegister.delete("search");
  const query = guarded(text, () => environment.compile(text));
  if (query.singularQuery()) {
    const steps = stepsOf(query);
    return (target) => steps.reduce(valueOfStep, target);
  }
  return (target) => {
    const nodes = guarded(text, () => query.query(plainJson(target)));
    return Array.from(nodes, (node) => valueAt(target, node.location));
  };
}

/** Turns errors of the library into failures: about the expression, or about a value that is nested too deep. */
function guarded<Result>(text: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof JSONPathError)) throw error;
    throw new MappingError(
      `failed to evaluate json path expression: parsing error: ${text}: ${error.message}`,
    );
  }
}

/** Returns the value at a path of names. A missing name is null. Names do not apply to arrays. */
function valueOfNames(target: Value, names: readonly string[]): Value {
  const [first = ""] = names;
  const constant = names.length === 1 ? constants.get(first) : undefined;
  if (constant !== undefined) return constant;
  let value = target;
  for (const [index, name] of names.entries()) {
    if (isObject(value)) value = Object.hasOwn(value, name) ? (value[name] ?? null) : null;
    else if (isArray(value)) value = /^\d+$/.test(name) ? (value[Number(name)] ?? value) : value;
    else throw new MappingError(`unknown parameter ${names.slice(0, index + 1).join(".")}`);
  }
  return value;
}

/** Returns the names and indexes of a path to a single place. */
function stepsOf({ segments }: JSONPathQuery): readonly (string | number)[] {
  return segments.map(({ selectors: [selector] }) => {
    if (selector !== undefined && "index" in selector) return Number(selector.index);
    return selector !== undefined && "name" in selector ? String(selector.name) : "";
  });
}

function valueOfStep(value: Value, step: string | number): Value {
  if (isObject(value)) {
    if (Object.hasOwn(value, step)) return value[step] ?? null;
    throw new MappingError(`unknown key ${step}`);
  }
  if (!isArray(value)) {
    const expected = "map[string]interface{} or []interface{}";
    throw new MappingError(
      `unsupported value type ${nativeTypeName(value)} for select, expected ${expected}`,
    );
  }
  const index = Number(step);
  if (!Number.isInteger(index) || step === "") {
    throw new MappingError(`could not select value, invalid key: expected number but got ${step} (string)`);
  }
  const element = value[index];
  if (element === undefined) throw new MappingError(`index ${index} out of bounds`);
  return element;
}

function valueAt(root: Value, location: readonly (string | number)[]): Value {
  return location.reduce<Value>((value, step) => {
    if (isArray(value)) return value[Number(step)] ?? null;
    return isObject(value) ? (value[step] ?? null) : value;
  }, root);
}
