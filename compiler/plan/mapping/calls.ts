// Lowers calls. The few builtins that belong to the language become nodes of their own; all others
// become calls of a runtime function with positional arguments.

import type { Parameter } from "../../builtins/builtin.ts";
import { invariant } from "../../diagnostics/invariant.ts";
import type { Span } from "../../source/source.ts";
import type { CallNode, Expression, FunctionCall, MethodCall } from "../../trees/mapping.ts";
import { elementLocal, planMapExpression } from "./control.ts";
import { anything, constant } from "./facts.ts";
import type { Planned, PlannedArgument, PlannedCall } from "./ir.ts";
import { readBelow } from "./paths.ts";
import { createLocal, entered, type PlanScope, planExpression } from "./scope.ts";

/** `name(args)` */
export function planFunction(node: FunctionCall, scope: PlanScope): Planned {
  const name = node.name.text;
  if (name === "deleted" || name === "nothing") {
    return {
      kind: "Absence",
      name,
      ...anything(node.span, name === "deleted" ? "delete" : name),
      fails: "never",
      absence: true,
    };
  }
  if (name === "var") return planVar(node, scope);
  return planCall(node, undefined, scope);
}

/** `receiver.name(args)` */
export function planMethod(node: MethodCall, scope: PlanScope): Planned {
  const { span } = node;
  switch (node.name.text) {
    case "map":
      return planMapExpression(
        { kind: "MapExpression", receiver: node.receiver, body: argument(node, scope), span },
        scope,
      );
    case "or": {
      const target = planExpression(node.receiver, scope);
      return planCoalesce(target, planExpression(argument(node, scope), scope), span, "method or");
    }
    case "catch":
      return planCatch(node, scope);
    case "apply":
      return planApply(node, scope);
    case "from":
    case "from_all": {
      const target = planExpression(node.receiver, scope);
      const index = node.name.text === "from" ? planExpression(argument(node, scope), scope) : undefined;
      const known = index?.kind === "Constant" ? index.value : undefined;
      return {
        kind: "Shift",
        target,
        index,
        ...anything(
          span,
          typeof known === "bigint" ? `${target.from} from ${known}` : `method ${node.name.text}`,
        ),
        absence: target.absence,
      };
    }
    default:
      return planCall(node, planTarget(node, scope), scope);
  }
}

/** Lowers the target of a method. If the target fails and the method has a default for that case, the target is null. */
function planTarget(node: MethodCall, scope: PlanScope): Planned {
  const target = planExpression(node.receiver, scope);
  const call = scope.facts.calls.get(node);
  if (call?.builtin.rescues !== true || call.args[0] === undefined || target.fails === "never") return target;
  const { span, from, type, absence } = target;
  const fallback = constant(span, null);
  return {
    kind: "Fallback",
    target,
    local: createLocal("error"),
    fallback,
    ...anything(span, from),
    type: type === fallback.type ? type : "any",
    fails: "never",
    absence,
  };
}

/** Returns the argument of a builtin that takes exactly one. */
function argument(node: CallNode, scope: PlanScope): Expression {
  const found = scope.facts.calls.get(node)?.args[0];
  invariant(found !== undefined, `\`${node.name.text}\` was checked to have an argument`);
  return found;
}

/** `var("name")` is `$name`. */
function planVar(node: FunctionCall, scope: PlanScope): Planned {
  const name = planExpression(argument(node, scope), scope);
  if (name.kind === "Constant" && typeof name.value === "string") {
    return planVariable(name.value, node.span, scope);
  }
  const slots = [...scope.variables.slots.values()];
  return { kind: "FindVariable", name, slots, ...anything(node.span, "function var") };
}

function planCatch(node: MethodCall, scope: PlanScope): Planned {
  const target = planExpression(node.receiver, scope);
  if (target.fails === "never") return { ...target, from: "method catch" };
  const query = argument(node, scope);
  const local = elementLocal(query, "error");
  const fallback = planExpression(query, entered(scope, local));
  return {
    kind: "Fallback",
    target,
    local,
    fallback,
    ...anything(node.span, "method catch"),
    fails: fallback.fails,
    absence: target.absence || fallback.absence,
  };
}

function planApply(node: MethodCall, scope: PlanScope): Planned {
  const target = planExpression(node.receiver, scope);
  const name = planExpression(argument(node, scope), scope);
  const map = name.kind === "Constant" && typeof name.value === "string" ? name.value : name;
  const from = typeof map === "string" ? `map ${map}` : "method apply";
  return { kind: "Apply", target, map, ...anything(node.span, from), absence: true };
}

function planCall(node: CallNode, target: Planned | undefined, scope: PlanScope): PlannedCall {
  const call = scope.facts.calls.get(node);
  invariant(call !== undefined, `the call of \`${node.name.text}\` was checked`);
  const { builtin, args } = call;
  const planned = builtin.variadic
    ? args.map((arg) => planValue(arg, scope))
    : builtin.parameters.map((parameter, index) => planArgument(parameter, args[index], node, scope));
  const from =
    (target === undefined
      ? annotationOf(builtin.name, planned)
      : readAnnotation(builtin.name, target, planned)) ||
    `${target === undefined ? "function" : "method"} ${builtin.name}`;
  // A fold returns the result of its query, and a mapping in a text returns its root. Methods that return their target also
  // pass on an absence.
  const given = builtin.name === "fold" || builtin.capability === "compiler";
  const absence = given || (builtin.returns === "any" && target?.absence === true);
  return {
    kind: "Call",
    builtin,
    target,
    args: planned,
    ...anything(node.span, from),
    type: resultType(builtin.returns),
    absence,
  };
}

/** Returns the description of a read of the message in error texts, if its argument is known. */
function annotationOf(name: string, [first]: readonly PlannedArgument[]): string | undefined {
  const nouns: Readonly<Record<string, string>> = {
    meta: "meta",
    metadata: "metadata",
    root_meta: "root_meta",
  };
  if (first?.kind !== "value" || first.value.kind !== "Constant") return undefined;
  const key = first.value.value;
  if (typeof key !== "string") return undefined;
  if (name === "json") return `json path \`${key}\``;
  const noun = Object.hasOwn(nouns, name) ? nouns[name] : undefined;
  return noun && (key === "" ? `${noun} object` : `${noun} field ${key}`);
}

/** Returns the description of `.get("a.b")` in error texts: the call is another way to write a chain of fields. */
function readAnnotation(
  name: string,
  target: Planned,
  [first]: readonly PlannedArgument[],
): string | undefined {
  if (name !== "get" || first?.kind !== "value" || first.value.kind !== "Constant") return undefined;
  const { value } = first.value;
  return typeof value === "string" ? readBelow(target, value) : undefined;
}

function planValue(arg: Expression | undefined, scope: PlanScope): PlannedArgument {
  invariant(arg !== undefined, "variadic calls leave no argument out");
  return { kind: "value", value: planExpression(arg, scope) };
}

function planArgument(
  parameter: Parameter,
  arg: Expression | undefined,
  node: Expression,
  scope: PlanScope,
): PlannedArgument {
  if (arg === undefined) {
    if (parameter.default === undefined) return { kind: "omitted" };
    return { kind: "value", value: constant(node.span, parameter.default) };
  }
  switch (parameter.query) {
    case "element":
    case "error": {
      const local = elementLocal(arg, parameter.query === "error" ? "error" : "element");
      return { kind: "closure", local, body: planExpression(arg, entered(scope, local)) };
    }
    case "same":
      return { kind: "thunk", body: planExpression(arg, scope) };
    default:
      return { kind: "value", value: planExpression(arg, scope) };
  }
}

function resultType(returns: string): PlannedCall["type"] {
  switch (returns) {
    case "string":
    case "array":
    case "object":
    case "number":
      return returns;
    case "integer":
      return "number";
    case "bool":
      return "boolean";
    default:
      return "any";
  }
}

/** `$name` */
export function planVariable(name: string, span: Span, scope: PlanScope): Planned {
  const { slots, assigned } = scope.variables;
  const surely = assigned.has(name);
  return {
    kind: "ReadVariable",
    name,
    slot: slots.get(name),
    assigned: surely,
    ...anything(span, `variable ${name}`),
    fails: surely ? "never" : "maybe",
  };
}

/** `left | right`, also spelled `left.or(right)`. */
export function planCoalesce(left: Planned, right: Planned, span: Span, from: string): Planned {
  const { fails, absence } = right;
  return { kind: "Coalesce", left, right, ...anything(span, from), fails, absence };
}
