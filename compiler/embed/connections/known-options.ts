// Reduces the options of a component to those known before there is a message or a request: a computed text is replaced
// by its fixed beginning (`Computed` of runtime/probe/probe.ts), and other components are left out. The values are
// emitted like those of a gateway, so that the same rules apply to the environment, and evaluated immediately.

import { readFileSync } from "node:fs";
import type { VariablePlaces } from "../../../runtime/process/environment.ts";
import { block, type Code, code, list } from "../../emit/code.ts";
import { createScripts } from "../../emit/scripts.ts";
import { emitValue, type ValueContext } from "../../emit/value.ts";
import { evaluateCode } from "../../evaluate/evaluate-code.ts";
import { loadRuntime } from "../../evaluate/runtime-modules.ts";
import type { TemplatePlan } from "../../plan/mapping/ir.ts";
import type {
  EnvironmentPlan,
  FieldPlan,
  JoinedTextPlan,
  LiteralPlan,
  ObjectPlan,
  ValuePlan,
} from "../../plan/plan.ts";
import { valuesWithin, variableReadsOf } from "../../plan/values.ts";
import { StartError } from "../errors.ts";

/** Returns the options, including all defaults. */
export function knownOptions(options: ObjectPlan): ObjectPlan {
  return { kind: "Object", fields: options.fields.flatMap(knownField) };
}

function knownField({ name, value }: FieldPlan): readonly FieldPlan[] {
  const known = knownValue(value);
  // Without its maker: probes take blocks as they are written.
  return known === undefined ? [] : [{ name, value: known, defaulted: false }];
}

function knownValue(value: ValuePlan): ValuePlan | undefined {
  switch (value.kind) {
    case "Literal":
      return value;
    case "Environment":
      return hasRequest(value) ? computed(fixedParts(value)) : value;
    case "JoinedText":
      return computedFrom(value);
    case "TemplatePlan":
      return computed([literal(fixedText(value))]);
    case "List":
      return { ...value, items: value.items.flatMap((item) => knownValue(item) ?? []) };
    case "Object":
      return knownOptions(value);
    case "Resource":
    case "SchemaCheck":
    case "MappingPlan":
    case "MappingSequence":
    case "QueryPlan":
      return computed([]);
    case "Component":
      return undefined;
  }
}

/** Returns the text up to the first part that a message or a request supplies. */
function computedFrom(text: JoinedTextPlan): ValuePlan {
  const beginning: JoinedTextPlan["parts"][number][] = [];
  for (const part of text.parts) {
    if (part.kind === "TemplatePlan") return computed([...beginning, literal(fixedText(part))]);
    if (part.kind === "Environment" && hasRequest(part)) return computed([...beginning, ...fixedParts(part)]);
    beginning.push(part);
  }
  return text;
}

function computed(beginning: JoinedTextPlan["parts"]): ObjectPlan {
  const value: ValuePlan = beginning.length === 0 ? literal("") : { kind: "JoinedText", parts: beginning };
  return { kind: "Object", fields: [{ name: "computed", value, defaulted: false }] };
}

function fixedParts({ parts }: EnvironmentPlan): readonly EnvironmentPlan[] {
  const end = parts.findIndex(({ kind }) => kind === "Request");
  return parts.slice(0, end).map((part) => ({ kind: "Environment", type: "string", parts: [part] }));
}

/** Returns the fixed beginning of a template: `orders-` of `orders-${! this.region }`. */
function fixedText({ parts }: TemplatePlan): string {
  const end = parts.findIndex((part) => typeof part !== "string");
  return parts.slice(0, end === -1 ? parts.length : end).join("");
}

function hasRequest({ parts }: EnvironmentPlan): boolean {
  return parts.some(({ kind }) => kind === "Request");
}

function literal(value: string): LiteralPlan {
  return { kind: "Literal", value };
}

/** The values of `${NAME}`. */
export type VariableValues = Readonly<Record<string, string | undefined>>;

/**
 * Returns the values of `options`. Also reads the environment variables of `everything`. Throws one `StartError`
 * with all variables that are missing or invalid, and their locations according to `places`.
 */
export function evaluateOptions(
  options: readonly ObjectPlan[],
  everything: readonly ValuePlan[],
  variables: VariableValues,
  places?: VariablePlaces,
): readonly unknown[] {
  const context: ValueContext = { scripts: createScripts(), names: [], path: "", file: "" };
  const reads = everything.flatMap(readsOf).map((read) => code`${emitValue(read, context)};`);
  const values = options.map((each) => emitValue(each, context));
  const body: readonly Code[] = [...reads, code`return ${list("[", values, "]")};`];
  const factory = code`const evaluate = (env) => ${block(body)};`;
  // The declaration has exactly this type.
  const evaluate = evaluateCode(factory, "evaluate") as (env: unknown) => readonly unknown[];
  const { createEnvironment } = loadRuntime("runtime/process/environment.ts");
  const env = createEnvironment(variables, (path) => readFileSync(path, "utf8"));
  env.locate(places);
  return orProblems(() => env.collect(() => evaluate(env)));
}

/** Returns the environment values that a value reads before there is a request. */
function readsOf(value: ValuePlan): readonly EnvironmentPlan[] {
  return valuesWithin(value).flatMap((each) => {
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
