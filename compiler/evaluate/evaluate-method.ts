// Applies methods and operators of the runtime to values that are known at compile time, and calls functions that
// inspect options.

import type { Value } from "../../runtime/message/value.ts";
import type { Inspection, RuntimeLink } from "../../schemas/component.ts";
import type { Builtin } from "../builtins/builtin.ts";
import type { PlainOptions } from "../check/document/inspections.ts";
import type { Evaluated, Evaluator, KnownOperand, KnownValue } from "../check/mapping/checked.ts";
import { invariant, unreachable } from "../diagnostics/invariant.ts";
import { loadModule, loadRuntime } from "./runtime-modules.ts";

/** Computes with the functions of the runtime. A failure of the language is a result. */
export const evaluator: Evaluator = { method: evaluateMethod, operator: evaluateOperator };

function evaluateMethod(
  method: Builtin,
  target: KnownValue,
  args: readonly (KnownValue | undefined)[],
): Evaluated {
  const { link } = method;
  const call =
    link?.source === undefined
      ? loadModule(`runtime/mapping/${method.module}`)[method.symbol]
      : link.source.load(link.module)[link.symbol];
  invariant(typeof call === "function", `${method.module} exports the function \`${method.symbol}\``);
  const given = args.map((arg) => (arg === undefined ? undefined : toRuntime(arg)));
  // Methods that can be folded receive their target, its name in error messages, and their arguments.
  return settle(() => call(toRuntime(target), "", ...given) as Value);
}

function evaluateOperator(
  operator: Parameters<Evaluator["operator"]>[0],
  left: KnownOperand,
  right: KnownOperand,
): Evaluated | undefined {
  const { add, divide, equal, greater, greaterOrEqual, less, lessOrEqual, modulo, multiply, subtract } =
    loadRuntime("runtime/mapping/operators.ts");
  const functions = new Map<
    typeof operator,
    (a: Value, b: Value, fromLeft: string, fromRight: string) => Value
  >([
    ["+", add],
    ["-", subtract],
    ["*", multiply],
    ["/", divide],
    ["%", modulo],
    ["==", equal],
    ["!=", (a, b) => !equal(a, b)],
    ["<", less],
    ["<=", lessOrEqual],
    [">", greater],
    [">=", greaterOrEqual],
  ]);
  const apply = functions.get(operator);
  return apply && settle(() => apply(toRuntime(left.value), toRuntime(right.value), left.from, right.from));
}

function settle(compute: () => Value): Evaluated {
  const { languageFailure } = loadRuntime("runtime/mapping/failures.ts");
  try {
    return { value: fromRuntime(compute()) };
  } catch (error) {
    const failure = languageFailure(error);
    if (failure === undefined) throw error;
    return { failure: failure.message };
  }
}

function toRuntime(known: KnownValue): Value {
  if (known === null || typeof known === "boolean" || typeof known === "string") return known;
  if (typeof known === "bigint") {
    const small = Number(known);
    return Number.isSafeInteger(small) ? small : known;
  }
  switch (known.kind) {
    case "runtime":
      // The value was created by `fromRuntime`.
      return known.value as Value;
    case "absence": {
      const { deleted, nothing } = loadRuntime("runtime/message/value.ts");
      return known.name === "delete" ? deleted : nothing;
    }
    case "float": {
      const { WholeFloat } = loadRuntime("runtime/message/value.ts");
      return Number.isInteger(known.value) ? new WholeFloat(known.value) : known.value;
    }
    case "array":
      return known.items.map(toRuntime);
    case "object":
      return Object.fromEntries([...known.entries].map(([key, each]) => [key, toRuntime(each)]));
    default:
      return unreachable(known);
  }
}

function fromRuntime(value: Value): KnownValue {
  if (typeof value === "number") return Number.isInteger(value) ? BigInt(value) : { kind: "float", value };
  return value === null || typeof value !== "object" ? value : { kind: "runtime", value };
}

/** Returns the results of the inspection function behind `link`. */
export function inspectOptions({ module, symbol }: RuntimeLink, options: PlainOptions): Inspection {
  const inspect = loadModule(module)[symbol];
  invariant(typeof inspect === "function", `${module} exports the function \`${symbol}\``);
  // Descriptors name only functions of this type.
  return inspect(options) as Inspection;
}
