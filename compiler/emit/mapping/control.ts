// `if`, `match` and `value.(query)` as expressions.

import type { Bind, Choice, Condition, Match, MatchArm, Planned } from "../../plan/mapping/ir.ts";
import {
  annotation,
  type Code,
  call,
  code,
  fragment,
  group,
  indent,
  join,
  literal,
  raw,
  softBreak,
} from "../code.ts";
import { emitThunk, functionOf } from "./closures.ts";
import { emitExpression, emitValue } from "./dispatch.ts";
import { type Emitted, levels, operand, primary } from "./precedence.ts";
import { runtime, runtimeType } from "./runtime.ts";
import { canFail, type EmitScope, nestedScope, withLocal } from "./scope.ts";

/** `condition ? a : b`, nothing where no branch is taken. */
export function emitChoice({ branches, otherwise }: Choice, scope: EmitScope): Emitted {
  const tests = branches.map((branch) => ({
    test: emitCondition(branch, scope),
    value: emitArm(branch.value, scope),
  }));
  return emitChain(tests, otherwise === undefined ? runtime("nothing") : emitArm(otherwise, scope));
}

/** `match subject { … }` */
export function emitMatch(node: Match, scope: EmitScope): Emitted {
  const { subject } = node;
  if (subject === undefined) return emitCases(node.cases, scope);
  return bindValue(subject.local, subject.value, scope, (inner) => emitCases(node.cases, inner));
}

function emitCases(cases: readonly MatchArm[], scope: EmitScope): Emitted {
  const end = cases.findIndex(({ test }) => test.kind === "always");
  const tested = end === -1 ? cases : cases.slice(0, end);
  const tests = tested.map((arm, index) => ({
    test: emitCaseTest(arm, index, scope),
    value: emitArm(arm.value, scope),
  }));
  const last = cases[end];
  return emitChain(tests, last === undefined ? runtime("nothing") : emitArm(last.value, scope));
}

/** Whether a case is taken, as an operand of `?:` or the condition of an `if`. */
export function emitCaseTest({ test }: MatchArm, index: number, scope: EmitScope): Code {
  switch (test.kind) {
    case "always":
      return raw("true");
    case "equals":
      return call(runtime("equal"), [emitValue(test.subject, scope), emitValue(test.value, scope)]);
    case "holds": {
      const prefix = `failed to check match case ${index}`;
      if (canFail(test.query, scope)) {
        const checked = call(runtime("within"), [literal(prefix), emitThunk(test.query, scope)]);
        return test.query.type === "boolean" ? checked : code`${checked} === true`;
      }
      const query = emitExpression(test.query, scope);
      if (test.query.type === "boolean") return operand(query, levels.coalesce);
      return code`${operand(query, levels.unary)} === true`;
    }
  }
}

/** The condition of a branch of an `if` expression: null is false. */
export function emitCondition(
  { condition: node, position }: Condition,
  scope: EmitScope,
  strict = false,
): Code {
  const number = position === 1 ? "" : ` ${position}`;
  const prefix = `failed to check if condition${number}`;
  const guarded = canFail(node, scope);
  const emitted: Emitted = guarded
    ? primary(call(runtime("within"), [literal(prefix), emitThunk(node, scope)]))
    : emitExpression(node, scope);
  if (node.type === "boolean") return operand(emitted, levels.coalesce);
  return call(runtime(strict ? "strictCondition" : "condition"), [emitted.code, literal(node.from)]);
}

/** A value that not every run needs: what it puts into variables must be harmless, so it may stand before. */
function emitArm(node: Planned, scope: EmitScope): Code {
  return operand(emitExpression(node, scope), levels.choice);
}

function emitChain(tests: readonly { readonly test: Code; readonly value: Code }[], last: Code): Emitted {
  const [first] = tests;
  return first === undefined
    ? { code: last, level: levels.choice }
    : { code: group(chain(tests, last)), level: levels.choice };
}

function chain([first, ...rest]: readonly { readonly test: Code; readonly value: Code }[], last: Code): Code {
  if (first === undefined) return last;
  const lead = fragment([softBreak]);
  return join([first.test, indent(lead, code`? ${first.value}`), indent(lead, code`: ${chain(rest, last)}`)]);
}

/** `value.(query)` */
export function emitBind({ local, value, body }: Bind, scope: EmitScope): Emitted {
  return bindValue(local, value, scope, (inner) => emitExpression(body, inner));
}

/**
 * An expression in which `local` is `value`. Values that cannot fail go to a constant before the statement;
 * others must not be worked out before their turn and become the argument of a function.
 */
function bindValue(
  local: Bind["local"],
  value: Planned,
  scope: EmitScope,
  emitBody: (scope: EmitScope) => Emitted,
): Emitted {
  if (isSimple(value)) return emitBody(withLocal(scope, local, emitValue(value, scope)));
  const written = emitValue(value, scope);
  if (!canFail(value, scope)) {
    const name = scope.names.claim(local.hint, "value");
    const place = scope.prelude.length;
    const body = emitBody(withLocal(scope, local, raw(name)));
    if (scope.state.used.has(name)) scope.prelude.splice(place, 0, code`const ${raw(name)} = ${written};`);
    return body;
  }
  const inner = nestedScope(scope);
  const name = inner.names.claim(local.hint, "value");
  scope.state.used.delete(name);
  const bound = withLocal(inner, local, raw(name));
  const body = emitBody(bound).code;
  const shown = scope.state.used.has(name) ? name : `_${name}`;
  const parameter = code`${raw(shown)}${annotation(code`: ${runtimeType("Value")}`)}`;
  return primary(call(code`(${functionOf([parameter], body, bound)})`, [written]));
}

/** Values that are read as cheaply as a constant. */
function isSimple(value: Planned): boolean {
  return value.kind === "Path" && value.segments.length === 0 && value.base.kind === "Local";
}
