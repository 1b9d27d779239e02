// What calls keep from run to run, such as the number a counter has reached: one constant for each call,
// declared before the function it is in.

import type { Builtin } from "../../builtins/builtin.ts";
import type { PlannedArgument } from "../../plan/mapping/ir.ts";
import { type Code, call, code, fragment, hardBreak, join, linkTo, literal, noCode, raw } from "../code.ts";
import type { EmitScope, FunctionState } from "./scope.ts";

/** The state a call hands to its builtin: a constant of its own; `undefined` for one that keeps nothing. */
export function emitKept(
  { module, symbol, state }: Builtin,
  args: readonly PlannedArgument[],
  scope: EmitScope,
): readonly Code[] {
  if (state === undefined) return [];
  if (state.when === "literal" && !args.every(isLiteral)) return [literal(undefined)];
  const name = claimName(symbol, scope.state);
  const fresh = call(linkTo(`runtime/mapping/${module}`, state.symbol), []);
  scope.state.kept.set(name, code`const ${raw(name)} = ${fresh};`);
  return [raw(name)];
}

/** `const intakeMappingCounterState = createCounter();` for each call that keeps something, then the function. */
export function withKept(state: FunctionState, declaration: Code): Code {
  const kept = keptBy(state);
  return kept.length === 0 ? declaration : join([...kept, noCode, declaration], fragment([hardBreak]));
}

/** The declarations of what the function's calls keep. */
export function keptBy(state: FunctionState): readonly Code[] {
  return [...state.kept.values()];
}

function isLiteral(arg: PlannedArgument): boolean {
  return arg.kind === "omitted" || (arg.kind === "value" && arg.value.kind === "Constant");
}

function claimName(symbol: string, state: FunctionState): string {
  const taken = new Set([...state.kept.keys(), ...state.maps.values()]);
  const base = `${state.name}${symbol.charAt(0).toUpperCase()}${symbol.slice(1)}State`;
  let name = base;
  for (let number = 2; taken.has(name) || state.names.claim(name, name) !== name; number++) {
    name = `${base}${number}`;
  }
  return name;
}
