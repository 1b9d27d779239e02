// Known options as values of this process: emitted as those of a gateway, so that the environment is read by the same
// rules, and evaluated at once.

import { readFileSync } from "node:fs";
import { block, type Code, code, list } from "../../emit/code.ts";
import { createScripts } from "../../emit/scripts.ts";
import { emitValue, type ValueContext } from "../../emit/value.ts";
import { evaluateCode } from "../../evaluate/evaluate-code.ts";
import { loadRuntime } from "../../evaluate/runtime-modules.ts";
import type { EnvironmentPlan, ObjectPlan, ValuePlan } from "../../plan/plan.ts";
import { valuesWithin, variableReadsOf } from "../../plan/values.ts";
import { StartError } from "../errors.ts";

/** What `${NAME}` reads. */
export type VariableValues = Readonly<Record<string, string | undefined>>;

/**
 * The values of `options`. Reads whatever `everything` reads of the environment besides: throws one `StartError`
 * with all that is missing or cannot be read.
 */
export function evaluateOptions(
  options: readonly ObjectPlan[],
  everything: readonly ValuePlan[],
  variables: VariableValues,
): readonly unknown[] {
  const context: ValueContext = { scripts: createScripts(), names: [], path: "", file: "" };
  const reads = everything.flatMap(readsOf).map((read) => code`${emitValue(read, context)};`);
  const values = options.map((each) => emitValue(each, context));
  const body: readonly Code[] = [...reads, code`return ${list("[", values, "]")};`];
  const factory = code`const evaluate = (env) => ${block(body)};`;
  // The declaration is of exactly this shape.
  const evaluate = evaluateCode(factory, "evaluate") as (env: unknown) => readonly unknown[];
  const { createEnvironment } = loadRuntime("runtime/process/environment.ts");
  const env = createEnvironment(variables, (path) => readFileSync(path, "utf8"));
  return orProblems(() => env.collect(() => evaluate(env)));
}

/** What a value reads before there is a request. */
function readsOf(value: ValuePlan): readonly EnvironmentPlan[] {
  return [...valuesWithin(value)].flatMap((each) => {
    if (each.kind !== "Environment") return scriptReadsOf(each);
    const isFixed = each.parts.every(({ kind }) => kind !== "Request");
    if (isFixed) return [each];
    const parts = each.parts.filter(({ kind }) => kind === "Variable" || kind === "File");
    return parts.map((part) => ({ kind: "Environment" as const, type: "string" as const, parts: [part] }));
  });
}

function scriptReadsOf(value: ValuePlan): readonly EnvironmentPlan[] {
  const names = variableReadsOf(value).flatMap(({ from, name }) => (from === "environment" ? [name] : []));
  return names.map((name) => ({ kind: "Environment", type: "string", parts: [{ kind: "Variable", name }] }));
}

function orProblems<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    const { EnvironmentError } = loadRuntime("runtime/process/environment.ts");
    throw error instanceof EnvironmentError ? new StartError(error.problems, { cause: error }) : error;
  }
}
