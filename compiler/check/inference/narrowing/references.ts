// Finds the place and the path that an expression reads, so that the facts that a test reveals about the expression
// apply to the place.

import { segmentsOf } from "../../../builtins/results/paths.ts";
import type { CallNode, Expression, FunctionCall, MethodCall } from "../../../trees/mapping.ts";
import { type Kind, kinds, kindsOf, ofKinds } from "../../../value-types/kinds.ts";
import { never, string, type Type, unknown } from "../../../value-types/type.ts";
import { unionOf } from "../../../value-types/union.ts";
import { findState, narrowed, type TypeEnvironment } from "../environment.ts";
import { absences } from "../joining.ts";
import { type Place, type PlaceReference, plainView, type View } from "../place.ts";
import { type Scope, variablePlace } from "../scope.ts";
import { type Refine, refineAt, refinePresence, refineView } from "./refine.ts";

/** Returns what an expression reads; `undefined` if it creates a value of its own. */
export function referenceOf(node: Expression, scope: Scope): PlaceReference | undefined {
  switch (node.kind) {
    case "Group":
      return referenceOf(node.inner, scope);
    case "This":
      return whole(scope.current);
    case "Root":
      return whole(scope.block.root);
    case "ContextName":
      return whole(scope.labels.get(node.name) ?? scope.block.document);
    case "Variable":
      return whole(variablePlace(scope.block, node.name));
    case "Metadata":
      return below(whole(scope.block.built), node.key === undefined ? [] : [node.key.text]);
    case "FieldAccess":
      return node.name.text === "*" ? undefined : below(referenceOf(node.receiver, scope), [node.name.text]);
    case "Binary":
      if (node.operator !== "|") return undefined;
      return withFallback(node.left, coalesced(scope.inference.types.get(node.right)), scope);
    case "FunctionCall":
      return scope.isShifted ? undefined : referenceOfFunction(node, scope);
    case "MethodCall":
      return referenceOfMethod(node, scope);
    default:
      return undefined;
  }
}

/** Returns the environment in which `refine` has narrowed the value of `reference`. */
export function narrowReference(
  environment: TypeEnvironment,
  reference: PlaceReference,
  refine: Refine,
): TypeEnvironment {
  const { path, view } = reference;
  const refined = changePlace(environment, reference.place, (type) =>
    refineAt(type, path, (at) => refineView(at, view, refine)),
  );
  const behind = behindAlias(reference);
  return behind === undefined ? refined : narrowReference(refined, behind, refine);
}

/** Returns the environment in which the path of `reference` has a value, or has none. */
export function narrowPresence(
  environment: TypeEnvironment,
  reference: PlaceReference,
  isThere: boolean,
): TypeEnvironment {
  if (reference.view !== plainView) return environment;
  return changePlace(environment, reference.place, (type) => refinePresence(type, reference.path, isThere));
}

function changePlace(
  environment: TypeEnvironment,
  place: Place,
  change: (type: Type) => Type,
): TypeEnvironment {
  const state = findState(environment, place);
  return state === undefined ? environment : narrowed(environment, place, change(state.type));
}

/** Returns the same value as a reference to the place that this one is an alias of. */
function behindAlias({ place, path, view }: PlaceReference): PlaceReference | undefined {
  const { alias } = place;
  if (alias === undefined) return undefined;
  if (alias.view === plainView) return { place: alias.place, path: [...alias.path, ...path], view };
  return path.length === 0 && view === plainView ? alias : undefined;
}

function whole(place: Place): PlaceReference {
  return { place, path: [], view: plainView };
}

/** Returns the reference to a path below another reference. */
export function below(
  reference: PlaceReference | undefined,
  path: readonly string[],
): PlaceReference | undefined {
  if (reference === undefined || reference.view !== plainView) return undefined;
  return { ...reference, path: [...reference.path, ...path] };
}

function viewed(reference: PlaceReference | undefined, view: View): PlaceReference | undefined {
  return reference?.view === plainView ? { ...reference, view } : undefined;
}

/** Returns what `node` reads, seen with a fallback; `undefined` if the fallback may stand for an unset variable. */
function withFallback(node: Expression, view: View, scope: Scope): PlaceReference | undefined {
  const reference = referenceOf(node, scope);
  const isUnset = reference && findState(scope.environment, reference.place)?.maybeUnset === true;
  return isUnset === true ? undefined : viewed(reference, view);
}

/** Reading anything but a document that is not JSON never fails, so the result is the value itself. */
function referenceOfCatch(
  { receiver, args: [fallback] }: MethodCall,
  scope: Scope,
): PlaceReference | undefined {
  const reference = withFallback(receiver, plainView, scope);
  if (reference?.place !== scope.block.document && reference?.place !== scope.block.message) return reference;
  const mayFail = findState(scope.environment, reference.place)?.type.kind === "Unknown";
  return mayFail
    ? viewed(reference, caught(fallback && scope.inference.types.get(fallback.value)))
    : reference;
}

function referenceOfFunction(node: FunctionCall, scope: Scope): PlaceReference | undefined {
  const key = literalArgument(node);
  if (key === undefined || key === "") return undefined;
  switch (node.name.text) {
    case "json":
      return below(whole(scope.block.message), segmentsOf(key));
    case "metadata":
      return below(whole(scope.block.received), [key]);
    case "meta":
      return viewed(below(whole(scope.block.received), [key]), textView);
    case "root_meta":
      return viewed(below(whole(scope.block.built), [key]), textView);
    case "var":
      return whole(variablePlace(scope.block, key));
    default:
      return undefined;
  }
}

function referenceOfMethod(node: MethodCall, scope: Scope): PlaceReference | undefined {
  const receiver = () => referenceOf(node.receiver, scope);
  const [arg] = node.args;
  switch (node.name.text) {
    case "catch":
      return referenceOfCatch(node, scope);
    case "not_null":
      return viewed(receiver(), notNullView);
    case "type":
      return viewed(receiver(), typeView);
    case "or":
      return withFallback(node.receiver, coalesced(arg && scope.inference.types.get(arg.value)), scope);
    case "get": {
      const path = literalArgument(node);
      return path === undefined ? undefined : below(receiver(), segmentsOf(path));
    }
    default:
      return undefined;
  }
}

/** Returns the text of the first argument if it is a literal. */
export function literalArgument(node: CallNode): string | undefined {
  const value = node.args[0]?.value;
  return value?.kind === "StringLiteral" ? value.value : undefined;
}

/** `.type()` */
const typeView: View = {
  of: (alternative) => unionOf(Array.from(kindsOf(alternative), (kind) => ({ kind: "String", value: kind }))),
  back(alternative, seen) {
    if (alternative.kind !== "Unknown") return alternative;
    const names = kinds.filter((kind) => holds(seen, kind));
    return names.length === kinds.length ? alternative : ofKinds(unknown, names);
  },
};

function holds(seen: Type, kind: Kind): boolean {
  if (seen.kind === "Unknown") return true;
  const members = seen.kind === "Union" ? seen.members : [seen];
  return members.some((member) => member.kind === "String" && (member.value ?? kind) === kind);
}

/** `meta("key")`: text stays as it is, any other value becomes its text; null if it is missing or empty. */
const textView: View = {
  of: (alternative) => (alternative.kind === "String" || alternative.kind === "Null" ? alternative : string),
  back: (alternative, seen) => (alternative.kind === "String" ? seen : alternative),
};

/** `value.not_null()`: null has no result. */
const notNullView: View = {
  of: (alternative) => (alternative.kind === "Null" ? never : alternative),
  back: (_, seen) => seen,
};

/** `value.catch(other)` of a document that may not exist: all that is seen of it may be the fallback. */
function caught(other: Type = unknown): View {
  return {
    of: (alternative) => unionOf([alternative, other]),
    back: (alternative) => alternative,
  };
}

/** `value | other` */
function coalesced(other: Type | undefined): View {
  return {
    of: (alternative) => (absences.has(alternative.kind) ? (other ?? { kind: "Unknown" }) : alternative),
    back: (alternative, seen) =>
      absences.has(alternative.kind) || alternative.kind === "Unknown" ? alternative : seen,
  };
}
