// Infers statements in order, with the changes that each makes to the known facts.

import { unreachable } from "../../diagnostics/invariant.ts";
import { type Span, spanOf } from "../../source/source.ts";
import type { Assign, IfStatement, Let, MetaAssign, Name, Statement } from "../../trees/mapping.ts";
import { type Alternative, alternativesOf } from "../../value-types/alternatives.ts";
import { isUndescribed, withField } from "../../value-types/assign.ts";
import { isNullable } from "../../value-types/kinds.ts";
import {
  anyObject,
  bool,
  deletedType,
  type Field,
  never,
  type ObjectType,
  objectOf,
  type Type,
  unknown,
} from "../../value-types/type.ts";
import { unionOf, without } from "../../value-types/union.ts";
import { isTaken, reportCovered, requireBool } from "./branches.ts";
import { ofTypeKinds, reportMistake, requireKinds, shownTypes } from "./demands.ts";
import {
  assignState,
  findState,
  forkEnvironment,
  isContradiction,
  type TypeEnvironment,
} from "./environment.ts";
import { joinInto, joinTypes } from "./joining.ts";
import { nullOriginOf } from "./null-origin.ts";
import type { PlaceState } from "./place.ts";
import { disown } from "./reads.ts";
import { fail, type Scope, typeOfPlace, variablePlace, within } from "./scope.ts";
import { except, isMarker } from "./values.ts";
import { canVanish } from "./vanishing.ts";

/** An assignment to the root or into it. */
function inferAssign(node: Assign, scope: Scope): void {
  const value = scope.inference.infer(node.value, scope);
  const { environment, block } = scope;
  if (value.kind === "Never") {
    environment.isDead = true;
    return;
  }
  const given = except(value, ({ kind }) => kind === "Nothing");
  if (given.kind === "Never") return;
  // The intended assignment does not happen, which was reported at `this`.
  if (!node.rooted && node.target[0]?.text === "this") {
    assignState(environment, block.root, { type: unknown });
    followRoot(false, false, unknown, scope);
    return;
  }
  const before = typeOfPlace(scope, block.root);
  const mayVanish = value.kind === "Unknown" && canVanish(node.value, scope.inference);
  const mayStay = given !== value || mayVanish;
  const outcome = { given, mayDelete: mayVanish || except(given, isMarker) !== given, mayStay };
  const after = node.target.length === 0 ? given : assignBelow(node, before, outcome, scope);
  const assigned = mayStay ? joinTypes([after, before]) : after;
  assignState(environment, block.root, { type: assigned });
  followRoot(node.target.length === 0, mayStay, assigned, scope);
}

/** Updates `this` in a mutation: it is the root, or the former root after another value has replaced it. */
function followRoot(isReplaced: boolean, mayStay: boolean, root: Type, scope: Scope): void {
  const { environment, block } = scope;
  if (block.isRoot === undefined) return;
  const before = typeOfPlace(scope, block.isRoot);
  const mayBeRoot = before.kind !== "Bool" || before.value !== false;
  if (isReplaced) {
    const type: Type = mayStay && mayBeRoot ? bool : { kind: "Bool", value: false };
    assignState(environment, block.isRoot, { type });
  } else if (mayBeRoot) {
    const isSure = before.kind === "Bool" && before.value === true;
    const document = isSure ? root : joinTypes([root, typeOfPlace(scope, block.document)]);
    // Two places now share one object, so neither may change it in place.
    environment.owned.clear();
    assignState(environment, block.document, { type: document });
  }
}

/** The effect of an assignment: the value if it happens, and whether it may delete something or not happen. */
interface Outcome {
  readonly given: Type;
  readonly mayDelete: boolean;
  readonly mayStay: boolean;
}

function assignBelow(node: Assign, before: Type, outcome: Outcome, scope: Scope): Type {
  const { given, mayDelete, mayStay } = outcome;
  // If it certainly sets something, the type before it is no longer needed.
  const isSure = !mayDelete && !mayStay;
  const path = node.target.map(({ text }) => text);
  const span = spanOfNames(node.target);
  const added = isSure ? addToOwned(before, path, given, span, scope.environment) : undefined;
  if (added !== undefined) return added;
  const root = started(before);
  if (given.kind !== "Deleted" && !isAssignable(root, node.target, scope)) return unknown;
  // The branches that set a field and those that delete it are joined in one object.
  const present = except(given, isMarker);
  const outcomes = [
    ...(present.kind === "Never" ? [] : [withField(root, path, present, span)]),
    ...(mayDelete ? [withField(root, path, deletedType)] : []),
  ];
  const after = joinTypes(outcomes);
  // A field that was set is in a new map of fields; one that was deleted may not have existed.
  if (isSure && after.kind === "Object") scope.environment.owned.add(after.fields);
  return after.kind === "Never" ? unknown : after;
}

/** Returns an object for a root that is unassigned or null when something is put into it. */
function started(root: Type): Type {
  return unionOf(
    alternativesOf(root).map((each) =>
      each.kind === "Nothing" || each.kind === "Null" ? objectOf([]) : each,
    ),
  );
}

/**
 * Handles the common case of adding a field to an object that only this mapping references. The maps of the objects on
 * the path are changed in place: copies for each line of a long mapping would take time quadratic in its length.
 */
function addToOwned(
  object: Type,
  path: readonly string[],
  given: Type,
  span: Span | undefined,
  environment: TypeEnvironment,
): ObjectType | undefined {
  const [name, ...below] = path;
  if (object.kind !== "Object" || name === undefined || !environment.owned.has(object.fields))
    return undefined;
  const type = below.length === 0 ? given : addBelow(object, name, below, given, span, environment);
  if (type === undefined) return undefined;
  const written = isUndescribed(object) ? undefined : span;
  const field: Field = { type, required: true, ...(written === undefined ? {} : { span: written }) };
  // The map was made by `withField` for this environment alone; no reader keeps it.
  (object.fields as Map<string, Field>).set(name, field);
  return object;
}

/** Adds to the object under a name, or to a new one; `undefined` if another value may be there. */
function addBelow(
  { fields, rest }: ObjectType,
  name: string,
  path: readonly string[],
  given: Type,
  span: Span | undefined,
  environment: TypeEnvironment,
): ObjectType | undefined {
  const field = fields.get(name);
  if (field === undefined ? rest !== undefined : !field.required) return undefined;
  const before = field?.type ?? objectOf([]);
  if (before.kind !== "Object" || environment.owned.has(before.fields))
    return addToOwned(before, path, given, span, environment);
  const copy = { ...before, fields: new Map(before.fields) };
  environment.owned.add(copy.fields);
  return addToOwned(copy, path, given, span, environment);
}

/** Whether any value along the path can have fields; reports it if none can. */
function isAssignable(root: Type, names: readonly Name[], scope: Scope): boolean {
  let at = root;
  for (const [index, name] of names.entries()) {
    const holders = alternativesOf(at);
    const wrong = holders.filter(({ kind }) => !containers.has(kind) || (kind === "Array" && !isIndex(name)));
    const span = spanOfNames(names) ?? name.span;
    if (mayFailAt(holders, name)) fail(scope, span, "path", `\`${name.text}\` may not be assignable`);
    if (wrong.length > 0) {
      const isCertain = wrong.length === holders.length;
      const parent = ["root", ...names.slice(0, index).map(({ text }) => text)].join(".");
      const codes = { certain: "GW3118", possible: "GW3119" } as const;
      reportMistake(scope, codes, { span }, { parent, found: shownTypes(wrong) }, isCertain);
      if (isCertain) return false;
    }
    at = childOf(holders, name.text);
  }
  return true;
}

/** Whether a name is an index of an array; `-` adds an element. */
function isIndex({ text }: Name): boolean {
  return /^(?:-|\d+)$/.test(text);
}

const containers: ReadonlySet<Type["kind"]> = new Set(["Object", "Array", "Null", "Unknown"]);

function mayFailAt(holders: readonly Alternative[], { text }: Name): boolean {
  return holders.some(({ kind }) => {
    if (kind === "Array") return text !== "-";
    return kind !== "Object" && kind !== "Null";
  });
}

/** Returns the type under a name before something is put into it; a missing field becomes an object. */
function childOf(holders: readonly Alternative[], name: string): Type {
  return unionOf(
    holders.map((holder): Type => {
      if (holder.kind === "Unknown") return unknown;
      if (holder.kind === "Array") return holder.items.kind === "Never" ? objectOf([]) : holder.items;
      if (holder.kind !== "Object") return objectOf([]);
      const type = holder.fields.get(name)?.type ?? holder.rest ?? objectOf([]);
      return type.kind === "Never" ? objectOf([]) : type;
    }),
  );
}

/** Returns the source range from the first name to the last. */
function spanOfNames(names: readonly Name[]): Span | undefined {
  const [first, last] = [names.at(0), names.at(-1)];
  return first === undefined || last === undefined
    ? undefined
    : spanOf(first.span.source, first.span.start, last.span.end);
}

/** An assignment to metadata. */
function inferMetaAssign(node: MetaAssign, scope: Scope): void {
  const { inference, environment, block } = scope;
  const value = inference.infer(node.value, scope);
  if (block.kind === "map") {
    inference.report("GW3122", node.span, {});
    fail(scope, node.span, "map", "maps cannot set metadata");
    return;
  }
  if (value.kind === "Never") environment.isDead = true;
  const given = except(value, ({ kind }) => kind === "Nothing");
  if (given.kind === "Never") return;
  const before = typeOfPlace(scope, block.built);
  // A value that is certain needs no type of the metadata before it.
  const isSure = given === value && except(given, isMarker) === given;
  const after =
    node.key === undefined ? replaced(node, given, scope) : withKey(before, node.key, given, isSure, scope);
  assignState(environment, block.built, { type: given === value ? after : joinTypes([after, before]) });
}

function withKey(before: Type, key: Name, given: Type, isSure: boolean, { environment }: Scope): Type {
  const added = isSure ? addToOwned(before, [key.text], given, key.span, environment) : undefined;
  if (added !== undefined) return added;
  const after = withField(before, [key.text], given, key.span);
  if (isSure && after.kind === "Object") environment.owned.add(after.fields);
  return after;
}

/** `meta = {…}` replaces all metadata, `meta = deleted()` removes all of it. */
function replaced(node: MetaAssign, given: Type, scope: Scope): Type {
  const codes = { certain: "GW3120", possible: "GW3120" } as const;
  const demand = {
    takes: ofTypeKinds(new Set(["Object", "Deleted"])),
    user: "meta",
    report: (found: string, isCertain: boolean) =>
      reportMistake(scope, codes, node.value, { found }, isCertain),
  };
  const taken = requireKinds(node.value, given, demand, scope);
  if (taken.kind === "Unknown") return anyObject;
  return unionOf(alternativesOf(taken).map((each) => (each.kind === "Object" ? each : objectOf([]))));
}

/** Infers statements one after the other and applies their effects to the scope's environment. */
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
  // Nothing was assigned, so the variable keeps its state.
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
  // A variable that is certainly unset again has no type.
  const type = kept.kind === "Never" ? unknown : kept;
  const maybeUnset = isUnset || (isKept && (before === undefined || before.maybeUnset === true));
  return maybeUnset ? { type, maybeUnset } : { type };
}

function inferIfStatement(node: IfStatement, scope: Scope): void {
  const ends: TypeEnvironment[] = [];
  // The branches start from one root, so none of them may change it in place.
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
  reportCovered(
    node.branches.map(({ condition }) => condition),
    scope,
  );
  inferStatements(node.otherwise ?? [], at);
  if (!isContradiction(at.environment, scope.environment)) ends.push(at.environment);
  joinInto(scope.environment, ends);
}
