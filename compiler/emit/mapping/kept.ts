// Emits the state that functions keep between runs: a constant for each call that counts, and for each text with
// variables of the request or the environment, declared before the function.

import type { Builtin } from "../../builtins/builtin.ts";
import type { PlannedArgument, PlannedVariableText, VariableRead } from "../../plan/mapping/ir.ts";
import {
  type Code,
  call,
  code,
  fragment,
  hardBreak,
  join,
  linkTo,
  literal,
  noCode,
  raw,
  templateLiteral,
} from "../code.ts";
import { identifierFrom } from "../names.ts";
import type { EmitScope, FunctionState } from "./scope.ts";

/** Emits the state that a call passes to its builtin: a constant of its own, nothing if it keeps none. */
export function emitKept(
  { module, symbol, state }: Builtin,
  args: readonly PlannedArgument[],
  scope: EmitScope,
): readonly Code[] {
  if (state === undefined) return [];
  if (state.when === "literal" && !args.every(isLiteral)) return [literal(undefined)];
  const name = claimName(`${symbol}State`, scope.state);
  const fresh = call(linkTo(`runtime/mapping/${module}`, state.symbol), []);
  scope.state.kept.set(name, code`const ${raw(name)} = ${fresh};`);
  return [raw(name)];
}

/**
 * Emits the constant for a text with variables. Values are read as data, once for each instance of the stream, so that
 * nothing in them is source: `const intakeMappingRequestDataUserValue = request.text("context.request_data_user");`
 */
export function emitKeptText({ parts }: PlannedVariableText, { state }: EmitScope): Code {
  const key = JSON.stringify(parts);
  const known = state.texts.get(key);
  if (known !== undefined) return raw(known);
  const [only, ...others] = parts;
  const written = parts.map((part) => (typeof part === "string" ? part : emitRead(part)));
  const [first] = written;
  const text =
    others.length === 0 && first !== undefined && typeof first !== "string"
      ? first
      : templateLiteral(written);
  const called =
    others.length === 0 && typeof only === "object" ? only.name.replace(/^(?:context|meta)\./, "") : "text";
  const name = claimName(`${identifierFrom(called, "text")}Value`, state);
  state.texts.set(key, name);
  state.kept.set(name, code`const ${raw(name)} = ${text};`);
  return raw(name);
}

function emitRead({ from, name }: VariableRead): Code {
  return call(raw(from === "request" ? "request.text" : "env.text"), [literal(name)]);
}

/** Emits `const intakeMappingCounterState = createCounter();` for each call with state, then the function. */
export function withKept(state: FunctionState, declaration: Code): Code {
  const kept = keptBy(state);
  return kept.length === 0 ? declaration : join([...kept, noCode, declaration], fragment([hardBreak]));
}

/** Returns the declarations of the state that the function's calls keep. */
export function keptBy(state: FunctionState): readonly Code[] {
  return [...state.kept.values()];
}

function isLiteral(arg: PlannedArgument): boolean {
  return arg.kind === "omitted" || (arg.kind === "value" && arg.value.kind === "Constant");
}

function claimName(what: string, state: FunctionState): string {
  const taken = new Set([...state.kept.keys(), ...state.maps.values()]);
  const base = `${state.name}${what.charAt(0).toUpperCase()}${what.slice(1)}`;
  let name = base;
  for (let number = 2; taken.has(name) || state.names.claim(name, name) !== name; number++) {
    name = `${base}${number}`;
  }
  return name;
}
