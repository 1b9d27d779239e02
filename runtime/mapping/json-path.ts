// JSONPath, as RFC 9535 has it.

import { JSONPathEnvironment, JSONPathError, type JSONPathQuery } from "json-p3";
import { MappingError } from "../errors.ts";
import { isArray, isObject, type Value } from "../message/value.ts";
import { textArgument } from "./arguments.ts";
import { plainJson } from "./plain-json.ts";

/** The expression of a call that is a literal, once it is compiled. */
export interface KeptQuery {
  query: JSONPathQuery | undefined;
}

/** Nothing compiled yet. */
export function createQuery(): KeptQuery {
  return { query: undefined };
}

/** `.json_path(expression)`: a path to one place gives its value, any other an array of what it finds. */
export function jsonPath(
  kept: KeptQuery | undefined,
  target: Value,
  _from: string,
  expression: Value,
): Value {
  const text = textArgument("method 'json_path'", "expression", expression);
  const query = kept?.query ?? compile(text);
  if (kept !== undefined) kept.query = query;
  const nodes = guarded(text, () => query.query(plainJson(target)));
  const found = Array.from(nodes, (node) => valueAt(target, node.location));
  if (!query.singularQuery()) return found;
  const [only] = found;
  if (only === undefined) throw new MappingError(`unknown key in path ${text}`);
  return only;
}

function compile(text: string): JSONPathQuery {
  const environment = new JSONPathEnvironment({ strict: false });
  // They take patterns for JavaScript's own engine, which can be made to run without end.
  environment.functionRegister.delete("match");
  environment.functionRegister.delete("search");
  return guarded(text, () => environment.compile(text));
}

/** What the library throws is about the expression, or about a value that is nested deeper than it goes. */
function guarded<Result>(text: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof JSONPathError) throw new MappingError(`parsing error: ${text}: ${error.message}`);
    throw error;
  }
}

function valueAt(root: Value, location: readonly (string | number)[]): Value {
  let value = root;
  for (const step of location) {
    if (isArray(value) && typeof step === "number") value = value[step] ?? null;
    else if (isObject(value)) value = value[step] ?? null;
  }
  return value;
}
