// Works out calls that need no message, `"1h".parse_duration()`. Takes resolved calls; gives their values
// where folding can use them; calls that always fail are reported, because the reference refuses them.

import type { Report } from "../../diagnostics/sink.ts";
import type { Expression, FunctionCall, MethodCall } from "../../trees/mapping.ts";
import type { CheckedCall, Evaluated, EvaluateMethod, KnownValue } from "./checked.ts";
import type { Folded, Folder } from "./fold.ts";
import { referenceAfter } from "./reference.ts";

/** How errors of arguments begin when a call runs; where they are literals, the reference says it shorter. */
const argumentError = /^method '\w+': failed to extract input arg '(?<name>\w+)': /;

type Calls = ReadonlyMap<FunctionCall | MethodCall, CheckedCall>;

/** Knows the values of static calls, each worked out once. */
export interface StaticCalls {
  /** The value of a call, `undefined` where it is not static or not for folding. */
  fold(call: MethodCall): Folded;
  /** Reports the calls that always fail. Of calls on one another the innermost is reported. */
  check(report: Report): void;
}

/** The static ones among resolved calls, worked out by `evaluate`; `folder` knows what is not a call. */
export function createStaticCalls(calls: Calls, folder: Folder, evaluate: EvaluateMethod): StaticCalls {
  const known = new Map<MethodCall, Evaluated>();

  const findValue = (node: Expression): KnownValue | undefined => {
    if (node.kind === "Group") return findValue(node.inner);
    const evaluated = node.kind === "MethodCall" ? evaluateCall(node) : folder.fold(node);
    return evaluated !== undefined && "value" in evaluated ? evaluated.value : undefined;
  };

  const argumentsOf = ({ builtin, args }: CheckedCall): readonly (KnownValue | undefined)[] | undefined => {
    const values: (KnownValue | undefined)[] = [];
    for (const [index, parameter] of builtin.parameters.entries()) {
      const arg = args[index];
      const value = arg === undefined ? parameter.default : findValue(arg);
      if (arg !== undefined && value === undefined) return undefined;
      values.push(value);
    }
    return values;
  };

  const evaluateCall = (node: MethodCall): Evaluated | undefined => {
    const earlier = known.get(node);
    if (earlier !== undefined) return earlier;
    const call = calls.get(node);
    if (call === undefined || !call.builtin.staticFolding) return undefined;
    const target = findValue(node.receiver);
    const args = target === undefined ? undefined : argumentsOf(call);
    if (target === undefined || args === undefined) return undefined;
    const evaluated = evaluate(call.builtin, target, args);
    known.set(node, evaluated);
    return evaluated;
  };

  /** Why the arguments alone make the call fail, as an unknown time zone does. */
  const argumentFailure = (call: CheckedCall): string | undefined => {
    const args = call.args.some((arg) => arg !== undefined) ? argumentsOf(call) : undefined;
    if (args === undefined || !call.builtin.targets.includes("number")) return undefined;
    // Methods on timestamps take a number for one, so only the arguments are left to fail.
    const evaluated = evaluate(call.builtin, 0n, args);
    return "failure" in evaluated ? evaluated.failure : undefined;
  };

  return {
    fold(node) {
      const evaluated = evaluateCall(node);
      if (evaluated === undefined || "failure" in evaluated) return undefined;
      // Numbers alone are the same wherever they are worked out; texts can depend on the local time zone.
      const ofConstants = node.receiver.kind !== "MethodCall";
      return typeof evaluated.value === "bigint" && ofConstants ? { value: evaluated.value } : undefined;
    },
    check(report) {
      for (const [node, call] of calls) {
        if (node.kind !== "MethodCall" || !call.builtin.staticFolding) continue;
        const evaluated = evaluateCall(node);
        const failure =
          evaluated === undefined
            ? argumentFailure(call)
            : "failure" in evaluated
              ? evaluated.failure
              : undefined;
        if (failure === undefined) continue;
        const text = failure.replace(argumentError, "field $<name>: ");
        const reference = referenceAfter(node.span, text);
        report("GW3018", node.span, { name: node.name.text, failure: text, reference });
      }
    },
  };
}
