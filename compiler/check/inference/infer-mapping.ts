// Infers the types of all expressions in checked mappings, queries and templates from the type of the message, the
// expressions that can fail, and the type of the result. Reports mistakes that only types reveal.

import type { Report } from "../../diagnostics/sink.ts";
import type { Expression, MethodCall, Statement } from "../../trees/mapping.ts";
import { childrenOf, walk } from "../../trees/walk.ts";
import { alternativesOf } from "../../value-types/alternatives.ts";
import {
  anyMessage,
  bytes,
  type MessageType,
  type MetadataType,
  never,
  nothingType,
  type ObjectType,
  type Type,
  unknown,
} from "../../value-types/type.ts";
import { unionOf } from "../../value-types/union.ts";
import type { CheckedFacts, CheckedMapping, CheckedQuery, CheckedTemplate } from "../mapping/checked.ts";
import { requireBool } from "./branches.ts";
import { findState, forkEnvironment, isContradiction, type TypeEnvironment } from "./environment.ts";
import { createFailures, type Failure, listFailures } from "./failures.ts";
import { inferExpression } from "./infer.ts";
import { inferTest } from "./logic.ts";
import { findApplied } from "./maps.ts";
import { literalArgument } from "./narrowing/references.ts";
import { createPlace } from "./place.ts";
import type { Block, Inference, Scope } from "./scope.ts";
import { inferStatements } from "./statements.ts";
import { appliedMaps, reportUnusedMaps, reportUnusedVariables } from "./unused.ts";

/** The mode of a mapping, as in plans. */
type MappingMode = "mapping" | "request" | "mutation" | "result";

/** The inferred facts about a mapping, query or template. */
interface Inferred {
  /** Expressions that can fail at run time, with the reasons. */
  readonly failures: readonly Failure[];
  readonly types: ReadonlyMap<Expression, Type>;
}

/** The inferred facts about a mapping. */
export interface InferredMapping extends Inferred {
  /** The resulting message; its content is `Never` if there is none. */
  readonly message: MessageType;
  /** The value that the mapping builds, including `deleted()`, and `nothing()` if it assigns none. */
  readonly root: Type;
}

/** The inferred facts about a query that selects messages. */
export interface InferredQuery extends Inferred {
  readonly type: Type;
  /**
   * Messages for which the query is true, and those for which it is false; their content is `Never` if there are none.
   */
  readonly whenTrue: MessageType;
  readonly whenFalse: MessageType;
}

/**
 * Infers a mapping for messages of type `message`. A `request` (the `request_map` of a branch) begins with an empty
 * message; a `mutation` begins with the message itself; a `result` (the `result_map` of a branch) begins with `origin`,
 * the message that the branch came from.
 */
export function inferMapping(
  checked: CheckedMapping,
  message: MessageType,
  mode: MappingMode,
  report: Report,
  origin: MessageType = message,
): InferredMapping {
  const scope = createScope(checked, message, mode, origin, report, replacesRoot(checked));
  const { block, environment, failures, inference } = scope;
  if (checked.isPartial) forgetBuilt(scope);
  inferStatements(checked.statements, scope);
  inferUnusedMaps(checked, scope);
  reportEndlessMaps(checked, report);
  if (checked.isPartial) {
    return { root: unknown, message: anyMessage, failures: listFailures(failures), types: inference.types };
  }
  reportUnusedVariables(checked, report);
  reportUnusedMaps(checked, report);
  const root = environment.isDead ? never : stateOf(environment, block.root);
  return {
    root,
    message: {
      // A request without an assignment is empty, and empty content is not a document.
      content: contentOf(root, mode === "request" ? bytes : origin.content),
      metadata: metadataOf(stateOf(environment, block.built)),
    },
    failures: listFailures(failures),
    types: inference.types,
  };
}

/** Infers a bare query, which must return a bool. */
export function inferQuery(checked: CheckedQuery, message: MessageType, report: Report): InferredQuery {
  const scope = createScope(checked, message, "query", message, report);
  const { type, whenTrue, whenFalse } = inferTest(checked.query, scope);
  requireBool(checked.query, type, "statement", scope);
  const isNever = type.kind === "Bool" && type.value === false;
  return {
    type,
    whenTrue: isNever ? withoutMessages(message) : narrowedMessage(message, whenTrue(), scope),
    whenFalse: narrowedMessage(message, whenFalse(), scope),
    failures: listFailures(scope.failures),
    types: scope.inference.types,
  };
}

function withoutMessages(message: MessageType): MessageType {
  return { ...message, content: never };
}

/** Returns the facts about a message after one outcome of a condition. */
function narrowedMessage(
  message: MessageType,
  end: TypeEnvironment,
  { environment, block }: Scope,
): MessageType {
  if (isContradiction(end, environment)) return withoutMessages(message);
  // A query assigns nothing, so both places are the metadata of the incoming message.
  const learnt = [block.received, block.built].find(
    (place) => stateOf(end, place) !== stateOf(environment, place),
  );
  const metadata = learnt === undefined ? message.metadata : metadataOf(stateOf(end, learnt));
  const narrowed = stateOf(end, block.message);
  // Unless the query has parsed them, bytes stay bytes.
  const isSame = narrowed === stateOf(environment, block.message);
  return { content: isSame ? message.content : narrowed, metadata };
}

/** Infers the queries of a template; `types` contains the type of each. */
export function inferTemplate(checked: CheckedTemplate, message: MessageType, report: Report): Inferred {
  const scope = createScope(checked, message, "query", message, report);
  for (const part of checked.template.parts)
    if (part.kind === "QueryPart") inferExpression(part.query, scope);
  return { failures: listFailures(scope.failures), types: scope.inference.types };
}

function createScope(
  facts: CheckedFacts,
  message: MessageType,
  mode: MappingMode | "query",
  origin: MessageType,
  report: Report,
  replacesRoot = false,
): Scope {
  const inference: Inference = {
    facts,
    report,
    types: new Map(),
    memory: { queries: new Map(), maps: new Map(), vanishing: new Map(), nulls: new Set() },
    infer: inferExpression,
    test: inferTest,
    inferStatements,
  };
  const block = createBlock(mode, replacesRoot);
  const start = startOf(block, mode, message, origin);
  return {
    inference,
    block,
    environment: forkEnvironment(start),
    current: block.document,
    previous: undefined,
    labels: new Map(),
    failures: createFailures(),
    isGuarded: false,
    isRepeated: false,
    isShifted: false,
  };
}

function createBlock(mode: MappingMode | "query", replacesRoot: boolean): Block {
  const isMutation = mode === "mutation";
  const root = createPlace("root");
  const built = createPlace("@");
  // In a mutation, `this` and `root` are the same until another root replaces the document.
  const document = isMutation && !replacesRoot ? root : createPlace("this");
  return {
    kind: mode === "query" ? "query" : "mapping",
    message: document,
    root,
    document,
    isRoot: isMutation && replacesRoot ? createPlace("isRoot") : undefined,
    // A mutation changes the metadata that functions read.
    received: isMutation ? built : createPlace("metadata"),
    built,
    variables: new Map(),
  };
}

function replacesRoot({ mapping }: CheckedMapping): boolean {
  let replaces = false;
  walk(mapping, {
    Assign({ target }) {
      if (target.length === 0) replaces = true;
    },
  });
  return replaces;
}

function startOf(
  { message, root, received, built, document, isRoot }: Block,
  mode: string,
  { content, metadata }: MessageType,
  origin: MessageType,
): TypeEnvironment {
  const start = forkEnvironment();
  const isBlank = mode === "mapping" || mode === "request" || mode === "query";
  start.changes.set(message, { type: parsedOrNothing(content) });
  start.changes.set(root, { type: isBlank ? nothingType : parsedOrNothing(origin.content) });
  if (isRoot !== undefined) {
    start.changes.set(document, { type: parsedOrNothing(origin.content) });
    start.changes.set(isRoot, { type: { kind: "Bool", value: true } });
  }
  start.changes.set(received, { type: objectOfMetadata(metadata) });
  start.changes.set(built, { type: objectOfMetadata(origin.metadata) });
  return start;
}

/** Forgets what is built: statements that could not be read may have set anything. */
function forgetBuilt({ environment, block }: Scope): void {
  environment.changes.set(block.root, { type: unknown });
  if (block.isRoot !== undefined) environment.changes.set(block.document, { type: unknown });
  environment.changes.set(block.built, { type: objectOfMetadata(anyMessage.metadata) });
}

/** Bytes may be any document, or none: then reads of `this` fail, and the root of a mutation is unset. */
function parsedOrNothing(content: Type): Type {
  return unionOf(alternativesOf(content).map((each) => (each.kind === "Bytes" ? unknown : each)));
}

/** Infers maps that are never applied: they may contain mistakes that do not depend on their argument. */
function inferUnusedMaps(checked: CheckedMapping, scope: Scope): void {
  if (checked.maps.size === 0) return;
  const applied = appliedMaps(checked);
  for (const [name, map] of checked.maps) {
    const isOwn = map.span.source === checked.mapping.source;
    if (isOwn && applied !== "any" && !applied.has(name)) findApplied(map, unknown, scope);
  }
}

function stateOf(environment: TypeEnvironment, place: Block["root"]): Type {
  return findState(environment, place)?.type ?? unknown;
}

/** Returns the content that the next component reads: text and bytes are written raw, so their content is unknown. */
function contentOf(root: Type, before: Type): Type {
  return unionOf(
    alternativesOf(root).flatMap((each): Type[] => {
      if (each.kind === "Deleted") return [];
      if (each.kind === "Nothing") return [before];
      return [each.kind === "String" ? bytes : each];
    }),
  );
}

function objectOfMetadata({ known, others }: MetadataType): ObjectType {
  return { kind: "Object", fields: known, rest: others ? unknown : undefined };
}

function metadataOf(type: Type): MetadataType {
  if (type.kind !== "Object") return { known: new Map(), others: true };
  return { known: type.fields, others: type.rest !== undefined };
}

/** Reports each application that closes a cycle of maps that always apply each other. */
function reportEndlessMaps({ maps, mapping }: CheckedMapping, report: Report): void {
  const calls = new Map(Array.from(maps, ([name, map]) => [name, sureCallsOf(map.statements)] as const));
  const reported = new Set<string>();
  for (const [name, map] of maps) {
    if (map.span.source !== mapping.source || reported.has(name)) continue;
    const call = (calls.get(name) ?? []).find((each) => leadsTo(literalArgument(each), name, calls));
    if (call === undefined) continue;
    report("GW3116", (call.args[0] ?? call).span, { name });
    // All maps of a cycle are one mistake.
    for (const other of calls.keys()) if (leadsTo(name, other, calls)) reported.add(other);
  }
}

/** Whether the map `from` always leads to an application of `goal`. */
function leadsTo(
  from: string | undefined,
  goal: string,
  calls: ReadonlyMap<string, readonly MethodCall[]>,
): boolean {
  const met = new Set<string>();
  const pending = [from];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    if (at === goal) return true;
    if (met.has(at)) continue;
    met.add(at);
    for (const call of calls.get(at) ?? []) {
      const next = literalArgument(call);
      if (next !== undefined) pending.push(next);
    }
  }
  return false;
}

/** Returns the applications that happen in every run of the statements, before the mapping can end otherwise. */
function sureCallsOf(statements: readonly Statement[]): readonly MethodCall[] {
  return statements.flatMap((statement) => {
    switch (statement.kind) {
      case "Let":
      case "Assign":
      case "MetaAssign":
        return sureCallsIn(statement.value);
      case "IfStatement": {
        const [first] = statement.branches;
        return first === undefined ? [] : sureCallsIn(first.condition);
      }
      default:
        return [];
    }
  });
}

function sureCallsIn(node: Expression): readonly MethodCall[] {
  switch (node.kind) {
    case "MethodCall": {
      const isApply = node.name.text === "apply" && literalArgument(node) !== undefined;
      // Arguments may be queries that run for no element, or fallbacks that are not needed.
      return [...sureCallsIn(node.receiver), ...(isApply ? [node] : [])];
    }
    case "FunctionCall":
    case "Lambda":
      return [];
    case "Binary":
      return ["|", "&&", "||"].includes(node.operator)
        ? sureCallsIn(node.left)
        : [...sureCallsIn(node.left), ...sureCallsIn(node.right)];
    case "IfExpression": {
      const [first] = node.branches;
      return first === undefined ? [] : sureCallsIn(first.condition);
    }
    case "MatchExpression":
      return node.subject === undefined ? [] : sureCallsIn(node.subject);
    default:
      return childrenOf(node).flatMap((child) => (isExpression(child) ? sureCallsIn(child) : []));
  }
}

/** Whether a child is an expression: the others are names, entries of objects, and parts of statements. */
function isExpression(node: ReturnType<typeof childrenOf>[number]): node is Expression {
  return !["Name", "ObjectEntry", "Argument", "ExpressionBranch", "MatchCase"].includes(node.kind);
}
