// Parses variables of requests and of the environment in mappings: inside strings, and in places where the mapping
// language allows a variable.

import type { StringLiteral, VariableText } from "../../trees/mapping.ts";
import { type NamedVariable, variableNamed, variablesIn } from "../../trees/named-variables.ts";
import { decodeString } from "./escapes.ts";
import { type Parsed, ParseFailure } from "./failure.ts";
import { readQuotedName } from "./literals.ts";
import type { Reader } from "./reader.ts";

/**
 * Returns the string, or its parts if it contains variables. `\x24gw_context.name` is no variable: escapes are text.
 */
export function withVariables<T extends Parsed<StringLiteral> | undefined>(literal: T): T | VariableText {
  if (literal === undefined || literal instanceof ParseFailure) return literal;
  const { span, raw, value } = literal;
  if (!value.includes("$")) return literal;
  const quotes = raw ? 3 : 1;
  const [from, to] = [span.start + quotes, span.end - quotes];
  const { text } = span.source;
  const variables = variablesIn(text.slice(from, to), span.source, from);
  if (variables.length === 0) return literal;
  const decode = (written: string) => (raw ? written : decoded(written));
  const parts: (string | NamedVariable)[] = [];
  let at = from;
  for (const variable of variables) {
    if (variable.span.start > at) parts.push(decode(text.slice(at, variable.span.start)));
    parts.push(variable);
    at = variable.span.end;
  }
  if (at < to) parts.push(decode(text.slice(at, to)));
  return { kind: "VariableText", parts, span };
}

/** Decodes a part of a string that was decoded as a whole before, so its escapes are valid. */
function decoded(written: string): string {
  const text = decodeString(written);
  return typeof text === "string" ? text : written;
}

/**
 * Reads `$gw_context.name`, `$gw_context."headers_X-Tenant"` or `$secret_env.NAME`; `undefined` for a variable of the
 * mapping language. A name followed by a bracket is a method.
 */
export function readNamedVariable(reader: Reader): Parsed<VariableText> | undefined {
  const start = reader.at;
  const variable = readStoreAndName(reader);
  if (variable instanceof ParseFailure) return variable;
  if (variable === undefined) reader.at = start;
  return variable && { kind: "VariableText", parts: [variable], span: variable.span };
}

function readStoreAndName(reader: Reader): Parsed<NamedVariable> | undefined {
  const start = reader.at;
  reader.take("$");
  const store = reader.takeName();
  if (store === undefined || !isStore(store.text) || !reader.take(".")) return undefined;
  const name = reader.sees('"') ? readQuotedName(reader) : reader.takeName();
  if (name === undefined || name instanceof ParseFailure) return name;
  if (!name.quoted && reader.sees("(")) return undefined;
  const span = reader.spanFrom(start);
  const written = `$${store.text}.${name.text}`;
  return variableNamed(store.text, name.text, span) ?? { kind: "Unknown", written, span };
}

/** Whether the name belongs to a store. `let` may set a variable with any other name, even `$gw_total`. */
function isStore(name: string): boolean {
  return /^(?:(?:gw|tyk)_(?:context|meta)|secret_[a-z]+)$/.test(name);
}
