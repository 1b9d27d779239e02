// What inference knows at one place of a mapping, and the state it keeps for the whole of it.

import type { Report } from "../../diagnostics/sink.ts";
import type { Span } from "../../source/source.ts";
import type { Expression, MapDefinition, Statement } from "../../trees/mapping.ts";
import type { Type } from "../../value-types/type.ts";
import type { CheckedFacts } from "../mapping/checked.ts";
import { findState, forkEnvironment, type TypeEnvironment } from "./environment.ts";
import type { FailureList, FailureOrigin } from "./failures.ts";
import { createPlace, type Place } from "./place.ts";

/** One run of inference over a mapping, query or template. */
export interface Inference {
  readonly facts: CheckedFacts;
  readonly report: Report;
  /** The type of each expression; of one that was met several times, of any. */
  readonly types: Map<Expression, Type>;
  /** How often each argument was inferred, and what the maps gave. */
  readonly memory: Memory;
  /** Infers any expression; through the scope, so that files do not import each other in circles. */
  readonly infer: (node: Expression, scope: Scope) => Type;
  /** Infers an expression that decides which way to go. */
  readonly test: (node: Expression, scope: Scope) => Test;
  /** Infers statements in order. */
  readonly inferStatements: (statements: readonly Statement[], scope: Scope) => void;
}

/** What is remembered so that nothing is inferred over and over. */
export interface Memory {
  readonly queries: Map<Expression, number>;
  readonly maps: Map<string, AppliedMap[]>;
  /** Maps that may give no value. */
  readonly vanishing: Map<MapDefinition, boolean>;
  /** Declarations that a null was reported for: one is enough. */
  readonly nulls: Set<Span>;
}

/** A map applied to values of one type. */
export interface AppliedMap {
  readonly argument: Type;
  /** `undefined` while it is being inferred. */
  result: Type | undefined;
  readonly failures: FailureList;
}

/** An expression that decides: what is known where it is true, and where it is not. */
export interface Test {
  readonly type: Type;
  readonly whenTrue: () => TypeEnvironment;
  readonly whenFalse: () => TypeEnvironment;
}

/** The places of one mapping or map. */
export interface Block {
  readonly kind: "mapping" | "map" | "query";
  /** What `this` is outside of all queries; the root itself in a mutation that never replaces it. */
  readonly document: Place;
  /** The document of the message, which `json()` reads also in maps; in a mutation, as it has become. */
  readonly message: Place;
  readonly root: Place;
  /** In a mutation that replaces its root, whether `this` is the root still: a bool. */
  readonly isRoot: Place | undefined;
  /** Metadata that functions read, of the message that came in, and of the one being built; in a mutation they are one. */
  readonly received: Place;
  readonly built: Place;
  readonly variables: Map<string, Place>;
}

/** A place of a mapping. */
export interface Scope {
  readonly inference: Inference;
  readonly block: Block;
  readonly environment: TypeEnvironment;
  readonly current: Place;
  /** What `this` was before; a lambda goes back to it. One level is remembered. */
  readonly previous: Place | undefined;
  readonly labels: ReadonlyMap<string, Place>;
  readonly failures: FailureList;
  /** A fallback stands by for failures and nulls, so only certain mistakes are reported. */
  readonly isGuarded: boolean;
  /** This may be inferred for other types as well, so that what never happens here may happen there. */
  readonly isRepeated: boolean;
  /** Inside the target of `.from()`: functions read other messages. */
  readonly isShifted: boolean;
}

/** The scope of a query whose `this` is `place`. */
export function entered(scope: Scope, place: Place, type: Type): Scope {
  const environment = withPlace(scope.environment, place, type);
  return { ...scope, environment, current: place, previous: scope.current };
}

/** The scope of the body of a lambda: `this` goes back one level, the label holds what it was. */
export function labelled(scope: Scope, label: string): Scope {
  const labels = label === "_" ? scope.labels : new Map(scope.labels).set(label, scope.current);
  return { ...scope, current: scope.previous ?? scope.block.document, previous: undefined, labels };
}

/** The scope in another environment. */
export function within(scope: Scope, environment: TypeEnvironment): Scope {
  return environment === scope.environment ? scope : { ...scope, environment };
}

function withPlace(origin: TypeEnvironment, place: Place, type: Type): TypeEnvironment {
  const environment = forkEnvironment(origin);
  environment.changes.set(place, { type });
  return environment;
}

/** The place of a variable, the same for one name throughout a mapping or map. */
export function variablePlace({ variables }: Block, name: string): Place {
  const known = variables.get(name);
  if (known !== undefined) return known;
  const place = createPlace(`$${name}`);
  variables.set(name, place);
  return place;
}

/** The type of a place that always has one. */
export function typeOfPlace(scope: Scope, place: Place): Type {
  return findState(scope.environment, place)?.type ?? { kind: "Unknown" };
}

/** Notes that an expression can fail. */
export function fail(scope: Scope, span: Span, source: FailureOrigin, reason: string): void {
  scope.failures.own.set(span, { span, source, reason });
}
