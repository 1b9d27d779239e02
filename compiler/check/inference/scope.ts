// The facts of inference at one place of a mapping, and its state for the whole mapping.

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
  /** The type of each expression; the union of its types if it was inferred several times. */
  readonly types: Map<Expression, Type>;
  /** How often each argument was inferred, and the results of maps. */
  readonly memory: Memory;
  /** Infers any expression. It is part of the scope so that files do not import each other in cycles. */
  readonly infer: (node: Expression, scope: Scope) => Type;
  /** Infers an expression that decides between branches. */
  readonly test: (node: Expression, scope: Scope) => Test;
  /** Infers statements in order. */
  readonly inferStatements: (statements: readonly Statement[], scope: Scope) => void;
}

/** Results that are kept so that nothing is inferred repeatedly. */
export interface Memory {
  readonly queries: Map<Expression, number>;
  readonly maps: Map<string, AppliedMap[]>;
  /** Maps that may return no value. */
  readonly vanishing: Map<MapDefinition, boolean>;
  /** Declarations for which a null was reported: one report is enough. */
  readonly nulls: Set<Span>;
}

/** A map applied to values of one type. */
export interface AppliedMap {
  readonly argument: Type;
  /** `undefined` while it is being inferred. */
  result: Type | undefined;
  readonly failures: FailureList;
}

/** A condition, with the facts that are known if it is true and if it is false. */
export interface Test {
  readonly type: Type;
  readonly whenTrue: () => TypeEnvironment;
  readonly whenFalse: () => TypeEnvironment;
}

/** The places of one mapping or map. */
export interface Block {
  readonly kind: "mapping" | "map" | "query";
  /** The value of `this` outside of all queries; in a mutation that never replaces its root, the root itself. */
  readonly document: Place;
  /** The document of the message, which `json()` reads even in maps; in a mutation, its current state. */
  readonly message: Place;
  readonly root: Place;
  /** In a mutation that replaces its root, whether `this` still is the root: a bool. */
  readonly isRoot: Place | undefined;
  /**
   * The metadata of the incoming message, which functions read, and of the new message; in a mutation they are the
   * same.
   */
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
  /** The former value of `this`, to which a lambda returns. Only one level is kept. */
  readonly previous: Place | undefined;
  readonly labels: ReadonlyMap<string, Place>;
  readonly failures: FailureList;
  /** Whether a fallback handles failures and nulls, so only certain mistakes are reported. */
  readonly isGuarded: boolean;
  /** Whether this may be inferred for other types too, so that an impossible case here may be possible there. */
  readonly isRepeated: boolean;
  /** Whether this is inside the target of `.from()`: functions read other messages. */
  readonly isShifted: boolean;
}

/** Returns the scope of a query whose `this` is `place`. */
export function entered(scope: Scope, place: Place, type: Type): Scope {
  const environment = withPlace(scope.environment, place, type);
  return { ...scope, environment, current: place, previous: scope.current };
}

/**
 * Returns the scope of the body of a lambda: `this` returns to the previous level, and the label has its former value.
 */
export function labelled(scope: Scope, label: string): Scope {
  const labels = label === "_" ? scope.labels : new Map(scope.labels).set(label, scope.current);
  return { ...scope, current: scope.previous ?? scope.block.document, previous: undefined, labels };
}

/** Returns the scope in another environment. */
export function within(scope: Scope, environment: TypeEnvironment): Scope {
  return environment === scope.environment ? scope : { ...scope, environment };
}

function withPlace(origin: TypeEnvironment, place: Place, type: Type): TypeEnvironment {
  const environment = forkEnvironment(origin);
  environment.changes.set(place, { type });
  return environment;
}

/** Returns the place of a variable, which is the same for one name throughout a mapping or map. */
export function variablePlace({ variables }: Block, name: string): Place {
  const known = variables.get(name);
  if (known !== undefined) return known;
  const place = createPlace(`$${name}`);
  variables.set(name, place);
  return place;
}

/** Returns the type of a place that always has one. */
export function typeOfPlace(scope: Scope, place: Place): Type {
  return findState(scope.environment, place)?.type ?? { kind: "Unknown" };
}

/** Records that an expression can fail. */
export function fail(scope: Scope, span: Span, source: FailureOrigin, reason: string): void {
  scope.failures.own.set(span, { span, source, reason });
}
