// Emits `if`, `match` and `value.(query)` as expressions.

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
import { type Emitted, operand, precedences, primary } from "./precedence.ts";
import { runtime, runtimeType } from "./runtime.ts";
import { canFail, type EmitScope, nestedScope, withDocumentIfAny, withLocal } from "./scope.ts";

/** `condition ? a : b`; `nothing` if no branch is taken. */
export function emitChoice({ branches, otherwise }: Choice, scope: EmitScope): Emitted {
  const tests = branches.map((branch) => ({
    test: conditionTest(branch, scope).alone(),
    value: emitArm(branch.value, scope),
  }));
  return emitChain(tests, otherwise === undefined ? runtime("nothing") : emitArm(otherwise, scope));
}

/** `match subject { … }` */
export function emitMatch(node: Match, scope: EmitScope): Emitted {
  const { subject } = node;
  if (subject === undefined) return emitCases(node.cases, withDocumentIfAny(node, scope));
  return bindValue(subject.local, subject.value, scope, (inner) => emitCases(node.cases, inner));
}

function emitCases(cases: readonly MatchArm[], scope: EmitScope): Emitted {
  const end = cases.findIndex(({ test }) => test.kind === "always");
  const tested = end === -1 ? cases : cases.slice(0, end);
  const tests = tested.map((arm, index) => ({
    test: caseTest(arm, index, scope).alone(),
    value: emitArm(arm.value, scope),
  }));
  const last = cases[end];
  return emitChain(tests, last === undefined ? runtime("nothing") : emitArm(last.value, scope));
}

/**
 * A test that selects a branch, as an operand of `?:` or the condition of an `if`. `part`: the prefix of its errors,
 * empty for no prefix, `undefined` if it cannot fail.
 */
export interface EmittedTest {
  readonly part: string | undefined;
  /** Returns the test for use after a statement that has noted the part. */
  noted(): Code;
  /** Returns the test as a function call that adds the part to its failures. */
  alone(): Code;
}

/** Returns the test that selects a case. */
export function caseTest({ test }: MatchArm, index: number, scope: EmitScope): EmittedTest {
  switch (test.kind) {
    case "always":
      return certain(() => raw("true"));
    case "equals":
      return certain(() =>
        call(runtime("equal"), [emitValue(test.subject, scope), emitValue(test.value, scope)]),
      );
    case "holds": {
      const isBoolean = test.query.type === "boolean";
      const write = (query: Emitted) =>
        isBoolean
          ? operand(query, precedences.coalesce)
          : code`${operand(query, precedences.unary)} === true`;
      return testOf(test.query, `failed to check match case ${index}`, write, scope);
    }
  }
}

/** Returns the condition of an `if` branch. Null counts as false, except in a statement, which is `strict`. */
export function conditionTest(
  { condition, position }: Condition,
  scope: EmitScope,
  strict = false,
): EmittedTest {
  // A statement counts its conditions from the first, an expression from the first `else if`.
  const number = strict ? position : position - 1;
  const part = `failed to check if condition${number === 0 ? "" : ` ${number}`}`;
  if (condition.type === "boolean") {
    return testOf(condition, part, (emitted) => operand(emitted, precedences.coalesce), scope);
  }
  // The error for a value that is not a bool does not name the part.
  const convert = runtime(strict ? "strictCondition" : "condition");
  const write = (emitted: Emitted) => call(convert, [emitted.code, literal(condition.from)]);
  const { alone } = testOf(condition, part, write, scope);
  return { part: "", noted: alone, alone };
}

function testOf(
  node: Planned,
  part: string,
  write: (emitted: Emitted) => Code,
  scope: EmitScope,
): EmittedTest {
  const noted = () => write(emitExpression(node, scope));
  if (!canFail(node, scope)) return certain(noted);
  const guarded = () => primary(call(runtime("within"), [literal(part), emitThunk(node, scope)]));
  return { part, noted, alone: () => write(guarded()) };
}

function certain(write: () => Code): EmittedTest {
  return { part: undefined, noted: write, alone: write };
}

/** Emits a value that not every run needs. The constants it moves before the statement must be harmless. */
function emitArm(node: Planned, scope: EmitScope): Code {
  return operand(emitExpression(node, scope), precedences.choice);
}

function emitChain(tests: readonly { readonly test: Code; readonly value: Code }[], last: Code): Emitted {
  const [first] = tests;
  return first === undefined
    ? { code: last, level: precedences.choice }
    : { code: group(chain(tests, last)), level: precedences.choice };
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
 * Emits an expression in which `local` is `value`. Values that cannot fail become a constant before the statement.
 * Others must not be evaluated early, so they become the argument of a function.
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

/** Whether a value is as cheap to read as a constant. */
function isSimple(value: Planned): boolean {
  return value.kind === "Path" && value.segments.length === 0 && value.base.kind === "Local";
}
