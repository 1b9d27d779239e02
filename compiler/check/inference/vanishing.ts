// Decides whether an expression of unknown type may return `deleted()` or `nothing()`. A known type says so itself;
// `Unknown` includes everything, but most unknown values come from messages and are ordinary values.

import type { Expression, MapDefinition, MethodCall } from "../../trees/mapping.ts";
import { literalArgument } from "./narrowing/references.ts";
import type { Inference } from "./scope.ts";

/** Whether a value may be left out when it is assigned. */
export function canVanish(node: Expression, inference: Inference): boolean {
  const visit = (inner: Expression) => canVanish(inner, inference);
  switch (node.kind) {
    case "Root":
      return true;
    case "Group":
      return visit(node.inner);
    case "Lambda":
    case "MapExpression":
      return visit(node.body);
    case "Binary":
      return node.operator === "|" && visit(node.right);
    case "IfExpression":
      return (
        node.otherwise === undefined ||
        visit(node.otherwise) ||
        node.branches.some(({ value }) => visit(value))
      );
    case "MatchExpression":
      return (
        node.cases.every(({ pattern }) => pattern !== undefined) ||
        node.cases.some(({ value }) => visit(value))
      );
    case "FunctionCall":
      return node.name.text === "deleted" || node.name.text === "nothing";
    case "MethodCall":
      return canCallVanish(node, inference);
    default:
      return false;
  }
}

function canCallVanish(node: MethodCall, inference: Inference): boolean {
  const argument = node.args[0]?.value;
  switch (node.name.text) {
    case "apply": {
      const name = literalArgument(node);
      const map = name === undefined ? undefined : inference.facts.maps.get(name);
      // A literal name that no map has is reported.
      return map === undefined ? name === undefined : !assignsRoot(map, inference);
    }
    case "or":
      return argument !== undefined && canVanish(argument, inference);
    case "catch":
      return (
        canVanish(node.receiver, inference) || (argument !== undefined && canVanish(argument, inference))
      );
    case "map":
      return argument !== undefined && canVanish(argument, inference);
    case "fold":
      return node.args.some(({ value }) => canVanish(value, inference));
    case "from":
      return canVanish(node.receiver, inference);
    default:
      return false;
  }
}

/** Whether a map returns a value on every branch; for a recursive map this is assumed. */
function assignsRoot(map: MapDefinition, inference: Inference): boolean {
  const { vanishing } = inference.memory;
  const known = vanishing.get(map);
  if (known !== undefined) return !known;
  vanishing.set(map, false);
  const isSure = map.statements.some(
    (statement) => statement.kind === "Assign" && !canVanish(statement.value, inference),
  );
  vanishing.set(map, !isSure);
  return isSure;
}
