// Statements in order: what each changes of what is known.

import { unreachable } from "../../diagnostics/invariant.ts";
import type { IfStatement, Let, Statement } from "../../trees/mapping.ts";
import { isNullable } from "../../value-types/kinds.ts";
import { never, unknown } from "../../value-types/type.ts";
import { unionOf, without } from "../../value-types/union.ts";
import { inferAssign, inferMetaAssign } from "./assignments.ts";
import { isTaken, requireBool } from "./branches.ts";
import {
  assignState,
  findState,
  forkEnvironment,
  isContradiction,
  type TypeEnvironment,
} from "./environment.ts";
import { joinInto } from "./joining.ts";
import { nullOriginOf } from "./null-origin.ts";
import type { PlaceState } from "./place.ts";
import { disown } from "./reads.ts";
import { type Scope, variablePlace, within } from "./scope.ts";
import { except, isMarker } from "./values.ts";
import { canVanish } from "./vanishing.ts";

/** Infers statements one after the other; what they do is done to the scope's environment. */
export function inferStatements(statements: readonly Statement[], scope: Scope): void {
  for (const statement of statements) {
    switch (statement.kind) {
      case "Import":
      case "MapDefinition":
        break;
      case "Let":
        inferLet(statement, scope);
        break;
      case "MetaAssign":
        inferMetaAssign(statement, scope);
        break;
      case "Assign":
        inferAssign(statement, scope);
        break;
      case "IfStatement":
        inferIfStatement(statement, scope);
        break;
      default:
        unreachable(statement);
    }
  }
}

function inferLet(node: Let, scope: Scope): void {
  const value = scope.inference.infer(node.value, scope);
  const { environment } = scope;
  if (value.kind === "Never") {
    environment.isDead = true;
    return;
  }
  const place = variablePlace(scope.block, node.name.text);
  const given = except(value, isMarker);
  const nullFrom = isNullable(given) ? nullOriginOf(node.value, scope) : undefined;
  if (value.kind === "Unknown" && canVanish(node.value, scope.inference)) {
    const isUnset = findState(environment, place)?.maybeUnset ?? true;
    assignState(environment, place, isUnset ? { type: value, maybeUnset: true } : { type: value });
    return;
  }
  if (given === value) {
    assignState(environment, place, { type: value, nullFrom });
    return;
  }
  const before = findState(environment, place);
  const isKept = without(value, ({ kind }) => kind !== "Nothing").kind !== "Never";
  const isUnset = without(value, ({ kind }) => kind !== "Deleted").kind !== "Never";
  // Nothing was assigned at all: the variable is what it was.
  if (given.kind === "Never" && !isUnset) return;
  assignState(environment, place, afterLet(given, before, isKept, isUnset));
}

function afterLet(
  given: PlaceState["type"],
  before: PlaceState | undefined,
  isKept: boolean,
  isUnset: boolean,
): PlaceState {
  const kept = isKept ? unionOf([given, before?.type ?? never]) : given;
  // A variable that is surely unset again has no type at all.
  const type = kept.kind === "Never" ? unknown : kept;
  const maybeUnset = isUnset || (isKept && (before === undefined || before.maybeUnset === true));
  return maybeUnset ? { type, maybeUnset } : { type };
}

function inferIfStatement(node: IfStatement, scope: Scope): void {
  const ends: TypeEnvironment[] = [];
  // Branches start from one root, so that none of them may add to it in place.
  disown(scope);
  let at = scope;
  for (const branch of node.branches) {
    const test = at.inference.test(branch.condition, at);
    requireBool(branch.condition, test.type, "statement", at);
    const taken = forkEnvironment(test.whenTrue());
    inferStatements(branch.statements, within(at, taken));
    if (isTaken(branch, taken, at)) ends.push(taken);
    at = within(at, forkEnvironment(test.whenFalse()));
  }
  inferStatements(node.otherwise ?? [], at);
  if (!isContradiction(at.environment, scope.environment)) ends.push(at.environment);
  joinInto(scope.environment, ends);
}
