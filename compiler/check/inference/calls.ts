// Calls of builtins: what their targets and arguments are held against, and what the catalogue says of the
// result. Builtins that belong to the language itself are in language-calls.ts.

import { acceptedArgument, acceptedTarget, anyText } from "../../builtins/accepted.ts";
import type { Builtin } from "../../builtins/builtin.ts";
import { canCallFail, resultOfCall } from "../../builtins/call.ts";
import { isOnly } from "../../builtins/results/members.ts";
import type { CallTypes } from "../../builtins/signature.ts";
import type { Expression, FunctionCall, MethodCall } from "../../trees/mapping.ts";
import { never, type Type, unknown } from "../../value-types/type.ts";
import type { CheckedCall } from "../mapping/checked.ts";
import { tellCollisions } from "./collisions.ts";
import { ofType, requireKinds, shownTypes, type TypeDemand, tell } from "./demands.ts";
import { createQueries } from "./queries.ts";
import { fail, type Scope } from "./scope.ts";
import { typeOfConstant } from "./values.ts";

/** A call of a builtin of which nothing is known but its entry in the catalogue. */
export function inferBuiltin(
  node: FunctionCall | MethodCall,
  call: CheckedCall,
  receiver: Expression | undefined,
  scope: Scope,
): Type {
  const { builtin } = call;
  const given = receiver === undefined ? unknown : inferTarget(receiver, node, builtin, scope);
  const args = call.args.map((arg, index) => inferArgument(arg, index, { builtin, target: given }, scope));
  const queries = createQueries(call, given, scope);
  const types: CallTypes = { target: given, args, queryResult: queries.resultOf };
  const isFailing = given.kind === "Never" || args.some((arg) => arg?.kind === "Never");
  const result = isFailing ? never : resultOfCall(builtin, types);
  queries.inferRest();
  if (isFailing) return never;
  if (node.kind === "MethodCall") tellCollisions(node, given, args[0], scope);
  queries.requireTests();
  if (canCallFail(builtin, types)) fail(scope, node.span, "builtin", `\`${builtin.name}\` can fail`);
  return builtin.name === "filter" ? queries.narrowElements(result) : result;
}

function inferTarget(
  receiver: Expression,
  node: FunctionCall | MethodCall,
  builtin: Builtin,
  scope: Scope,
): Type {
  const type = scope.inference.infer(receiver, scope);
  const accepted = acceptedTarget(builtin);
  if (accepted.kind === "Unknown") return type;
  const codes = { certain: "GW3104", possible: "GW3105" } as const;
  const method = builtin.name;
  const expected = shownTypes([accepted]);
  const demand: TypeDemand = {
    takes: ofType(accepted),
    user: method,
    tell: (found, isCertain) => tell(scope, codes, node.name, { method, found, expected }, isCertain),
  };
  return requireKinds(receiver, type, demand, scope);
}

/** The type of an argument that is evaluated before the call; any type of a query. */
function inferArgument(
  arg: Expression | undefined,
  index: number,
  { builtin, target }: { readonly builtin: Builtin; readonly target: Type },
  scope: Scope,
): Type | undefined {
  const parameter = builtin.parameters[index];
  if (arg === undefined)
    return parameter?.default === undefined ? undefined : typeOfConstant(parameter.default);
  if (parameter?.query !== undefined) return unknown;
  const type = scope.inference.infer(arg, scope);
  const mustBeText = parameter?.textForText === true && isOnly(target, "String", "Bytes");
  const accepted = mustBeText ? anyText : acceptedArgument(builtin, index);
  if (accepted.kind === "Unknown") return type;
  const codes = { certain: "GW3106", possible: "GW3107" } as const;
  const details = { builtin: builtin.name, parameter: parameter?.name, expected: shownTypes([accepted]) };
  const demand: TypeDemand = {
    takes: ofType(accepted),
    user: builtin.name,
    tell: (found, isCertain) => tell(scope, codes, arg, { ...details, found }, isCertain),
  };
  return requireKinds(arg, type, demand, scope);
}
