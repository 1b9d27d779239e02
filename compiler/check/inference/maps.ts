// Infers named maps: the result for each argument type is inferred once.

import type { Expression, MapDefinition, MethodCall } from "../../trees/mapping.ts";
import { unfolded } from "../../value-types/alternatives.ts";
import { anyObject, nothingType, recursive, type Type, unknown } from "../../value-types/type.ts";
import { sameType } from "../../value-types/union.ts";
import { findState, forkEnvironment, type TypeEnvironment } from "./environment.ts";
import { createFailures } from "./failures.ts";
import { createPlace } from "./place.ts";
import { type AppliedMap, type Block, fail, type Scope } from "./scope.ts";

/** The maximum number of argument types of a map; all further types share one result for an unknown value. */
const mostTypes = 8;

/** `value.apply("name")` */
export function inferApply(node: MethodCall, name: Expression | undefined, scope: Scope): Type {
  const argument = scope.inference.infer(node.receiver, scope);
  const given = name === undefined ? unknown : scope.inference.infer(name, scope);
  const text = given.kind === "String" ? given.value : undefined;
  const map = text === undefined ? undefined : scope.inference.facts.maps.get(text);
  if (map === undefined) {
    // A literal name that no map has is reported by an earlier check.
    fail(scope, node.span, "map", "the map may not exist");
    return unknown;
  }
  return argument.kind === "Never" ? argument : applyMap(map, argument, node, scope);
}

function applyMap(map: MapDefinition, argument: Type, node: MethodCall, scope: Scope): Type {
  const applied = findApplied(map, argument, scope);
  if (applied.result === undefined) {
    fail(scope, node.span, "map", "it may apply itself too often");
    return recursive(map.name.text, () => applied.result ?? unknown);
  }
  scope.failures.shared.add(applied.failures);
  return applied.result;
}

/** Returns the map applied to this type, or to a wider one if it was applied to many types. */
export function findApplied(map: MapDefinition, argument: Type, scope: Scope): AppliedMap {
  const { maps } = scope.inference.memory;
  const name = map.name.text;
  const known = maps.get(name) ?? [];
  maps.set(name, known);
  const isRunning = known.some(({ result }) => result === undefined);
  const given = unfolded(argument);
  // A recursive map sees other types at every level; only the outermost one is useful.
  const isNew = !known.some((each) => sameType(each.argument, given));
  const applicable = isNew && (isRunning || known.length >= mostTypes) ? unknown : given;
  const found = known.find((each) => sameType(each.argument, applicable));
  if (found !== undefined) return found;
  const applied: AppliedMap = { argument: applicable, result: undefined, failures: createFailures() };
  known.push(applied);
  applied.result = inferBody(map, applicable, applied, scope);
  return applied;
}

function inferBody(map: MapDefinition, argument: Type, { failures }: AppliedMap, scope: Scope): Type {
  const block = createMapBlock(scope.block);
  const environment = forkEnvironment(startOf(scope.environment));
  environment.changes.set(block.document, { type: argument });
  environment.changes.set(block.root, { type: nothingType });
  // The metadata depends on where the map is applied.
  environment.changes.set(block.built, { type: anyObject });
  const inner: Scope = {
    inference: scope.inference,
    block,
    environment,
    failures,
    current: block.document,
    previous: undefined,
    labels: new Map(),
    isGuarded: false,
    isRepeated: true,
    isShifted: scope.isShifted,
  };
  scope.inference.inferStatements(map.statements, inner);
  return environment.isDead ? { kind: "Never" } : (findState(environment, block.root)?.type ?? nothingType);
}

function createMapBlock({ message, received }: Block): Block {
  return {
    kind: "map",
    document: createPlace("this"),
    isRoot: undefined,
    root: createPlace("root"),
    built: createPlace("@"),
    message,
    received,
    variables: new Map(),
  };
}

/** Returns the facts before any statement. */
function startOf(environment: TypeEnvironment): TypeEnvironment {
  let at = environment;
  while (at.origin !== undefined) at = at.origin;
  return at;
}
