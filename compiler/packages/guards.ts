// Functions of descriptors, called by the phases of the compiler: what they throw, and results that are none, become a
// problem of their package.

import type { Component, KnownOptions } from "../../schemas/component.ts";
import type { Builtin } from "../builtins/builtin.ts";
import type { Span } from "../source/source.ts";
import { isRecord, messageOf } from "./package-files.ts";
import { refuseAt } from "./package-problem.ts";

/** Whose functions they are. */
export interface PackageGuard {
  readonly package: string;
  /** Where the set names the package. */
  readonly span: Span;
}

/** The same component, whose functions throw nothing but a `PackageProblem`. */
export function guardComponent(component: Component, guard: PackageGuard): Component {
  const owner = `${component.role.replace("_", " ")} \`${component.name}\``;
  const guarded = <T>(what: string, call: (options: KnownOptions) => T, fits: (result: T) => boolean) =>
    guardCall({ ...guard, owner, what }, call, fits);
  const variants = component.variants?.map((variant) => ({
    ...variant,
    when: guarded("when", variant.when, isBoolean),
  }));
  const rules = component.rules?.map((rule) =>
    typeof rule === "string" ? rule : guarded("rules", rule, isProblems),
  );
  const common = { ...(variants && { variants }), ...(rules && { rules }) };
  if (component.role === "input") {
    const { division } = component;
    if (division === undefined) return { ...component, ...common };
    const isDivided = guarded("division.isDivided", division.isDivided, isBoolean);
    return { ...component, ...common, division: { ...division, isDivided } };
  }
  if (component.role !== "processor") return { ...component, ...common };
  const { flow, mayFail } = component;
  const effect = flow.kind === "message" ? flow.effect : undefined;
  return {
    ...{ ...component, ...common },
    ...(flow.kind === "message" && typeof effect === "function"
      ? { flow: { ...flow, effect: guarded("flow.effect", effect, isEffect) } }
      : {}),
    ...(typeof mayFail === "function"
      ? {
          mayFail: guarded(
            "mayFail",
            mayFail,
            (reason) => reason === undefined || typeof reason === "string",
          ),
        }
      : {}),
  };
}

/** The same of a builtin. */
export function guardBuiltin(builtin: Builtin, guard: PackageGuard): Builtin {
  const owner = `${builtin.kind} \`${builtin.name}\``;
  const { result, fails } = builtin;
  return {
    ...builtin,
    ...(result && { result: guardCall({ ...guard, owner, what: "result" }, result, isRecord) }),
    ...(fails && { fails: guardCall({ ...guard, owner, what: "fails" }, fails, isBoolean) }),
  };
}

interface Place extends PackageGuard {
  /** input `lines` */
  readonly owner: string;
  /** The function, as the descriptor calls it. */
  readonly what: string;
}

function guardCall<A, T>(place: Place, call: (given: A) => T, fits: (result: T) => boolean): (given: A) => T {
  const { span, owner, what } = place;
  const fail = (reason: string) => refuseAt("GW4411", span, { package: place.package, owner, what, reason });
  return (given) => {
    let result: T;
    try {
      result = call(given);
    } catch (error) {
      return fail(messageOf(error));
    }
    return fits(result) ? result : fail("its result is not what the contract asks for");
  };
}

function isBoolean(value: unknown): boolean {
  return typeof value === "boolean";
}

function isProblems(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => isRecord(each) && typeof each.message === "string");
}

function isEffect(value: unknown): boolean {
  return isRecord(value) && typeof value.content === "string";
}
