// Runs every builtin on values of every kind and compares the results with its signature: results have the promised type,
// targets outside the signature fail, and calls that cannot fail do not.

import { test } from "uvu";
import * as assert from "uvu/assert";
import { canCallFail, resultOfCall } from "../../compiler/builtins/accepted.ts";
import type { Builtin, CallTypes } from "../../compiler/builtins/builtin.ts";
import { coreBuiltins } from "../../compiler/builtins/catalogue.ts";
import { printType } from "../../compiler/value-types/print.ts";
import { type Type, unknown } from "../../compiler/value-types/type.ts";
import { unionOf } from "../../compiler/value-types/union.ts";
import type { Value } from "../../runtime/message/value.ts";
import { callsOf, nameOf, type Outcome, run, type SampleCall } from "./calls.ts";
import { notCalled, notSeenToFail, queryTypes } from "./samples.ts";
import { contains, exactType, kindOf, looseType } from "./values.ts";

const called = coreBuiltins.builtins.filter((builtin) => notCalled[nameOf(builtin)] === undefined);

for (const builtin of called) {
  test(`${nameOf(builtin)} matches its signature`, () => {
    const wrong = new Set<string>();
    const seen: Seen = { working: new Set(), failed: false, certain: false, uncertain: false };
    for (const call of callsOf(builtin)) {
      const outcome = run(call);
      if (isAccepted(builtin, call.target)) judge(call, outcome, wrong, seen);
      else if (outcome.kind === "value") wrong.add(`${call.text} on ${shown(call.target)} works`);
    }
    assert.equal([...wrong].slice(0, mostShown), []);
    assert.is(seen.working.size > 0, builtin.returns !== "never", "at least one call works");
    assert.equal(
      builtin.targets.filter((name) => !seen.working.has(name)),
      [],
      "a call works on each kind of target",
    );
    assert.is(
      seen.failed,
      builtin.canFail && notSeenToFail[nameOf(builtin)] === undefined,
      "some call fails",
    );
    if (builtin.fails !== undefined) {
      assert.ok(seen.certain, "of some calls it is said that they cannot fail");
      assert.ok(seen.uncertain, "of some calls it is said that they can fail");
    }
  });
}

test("exceptions name builtins that exist", () => {
  const names = new Set(coreBuiltins.builtins.map(nameOf));
  assert.equal(
    Object.keys({ ...notCalled, ...notSeenToFail }).filter((name) => !names.has(name)),
    [],
  );
});

/** The maximum of calls shown: one mistake in a rule affects many calls. */
const mostShown = 8;

interface Seen {
  /** The kinds of targets on which calls worked. */
  readonly working: Set<string>;
  failed: boolean;
  certain: boolean;
  uncertain: boolean;
}

/** Compares one outcome with the signature, for every type that may be known of the target. */
function judge(call: SampleCall, outcome: Outcome, wrong: Set<string>, seen: Seen): void {
  if (outcome.kind === "value") seen.working.add(kindOf(call.target));
  if (outcome.kind === "failure") seen.failed = true;
  for (const target of typesOf(call)) {
    const types = callTypes(call, target);
    // Only for what is wrong: printing the types takes longer than everything else.
    const describe = () => `${call.text} on ${shown(call.target)} as ${printType(target)}`;
    const result = resultOfCall(call.builtin, types);
    if (canCallFail(call.builtin, types)) seen.uncertain = true;
    else {
      seen.certain = true;
      if (outcome.kind === "failure") wrong.add(`${describe()} fails: ${outcome.text}`);
    }
    if (outcome.kind === "value" && !contains(result, outcome.value)) {
      wrong.add(`${describe()} gives ${shown(outcome.value)}, not ${printType(result)}`);
    }
  }
}

/** Returns the types that may be known of a target: the exact one, that of a schema, a union, or any type. */
function typesOf({ builtin, target }: SampleCall): readonly Type[] {
  if (builtin.kind === "function") return [unknown];
  const others = [null, 5, 2.5, "abc", new Uint8Array(1), [1], ["a"], { a: 1 }, { a: "x" }];
  const accepted = others.filter((other) => isAccepted(builtin, other));
  const loose = looseType(target);
  return [exactType(target), loose, unionOf([loose, ...accepted.map(looseType)]), unknown];
}

function callTypes({ args, argTypes }: SampleCall, target: Type): CallTypes {
  return {
    target,
    args: argTypes,
    areConstant: argTypes.every(
      (type) => type === undefined || ("value" in type && type.value !== undefined),
    ),
    queryResult(index, element) {
      const answer = queryTypes[args[index] ?? ""];
      assert.ok(answer !== undefined, `argument ${index} (${args[index]}) has a row in queryTypes`);
      return answer(element);
    },
  };
}

function isAccepted({ kind, targets }: Builtin, value: Value): boolean {
  return kind === "function" || targets.length === 0 || targets.includes(kindOf(value));
}

function shown(value: Value): string {
  return `${printType(exactType(value))}`;
}

test.run();
