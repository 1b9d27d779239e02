// Infers calls of builtins that belong to the language itself, and of those that read the message.

import type { Builtin } from "../../builtins/builtin.ts";
import { segmentsOf } from "../../builtins/results/paths.ts";
import type { CallNode, Expression, FunctionCall, MethodCall } from "../../trees/mapping.ts";
import { alternativesOf } from "../../value-types/alternatives.ts";
import { arrayOf, nullType, string, type Type, unknown } from "../../value-types/type.ts";
import { unionOf } from "../../value-types/union.ts";
import type { CheckedCall } from "../mapping/checked.ts";
import { swappedOrder } from "../mapping/layouts.ts";
import { inferMap } from "./branches.ts";
import { inferArgument, inferBuiltin } from "./calls.ts";
import { inferCatch, inferCoalesce } from "./fallbacks.ts";
import { readSteps } from "./fields.ts";
import { inferApply } from "./maps.ts";
import { literalArgument, referenceOf } from "./narrowing/references.ts";
import { documentOf, inferVariable, insideQuotes, readMetadata } from "./reads.ts";
import { fail, type Scope, typeOfPlace } from "./scope.ts";

/** `name(args)` */
export function inferFunction(node: FunctionCall, scope: Scope): Type {
  const call = scope.inference.facts.calls.get(node);
  if (call === undefined) return inferUnresolved(node, scope);
  const key = literalArgument(node);
  switch (call.builtin.name) {
    case "var":
      if (key !== undefined) return inferVariable({ name: key, span: node.span }, scope);
      break;
    case "json":
      return inferJson(node, call, key, scope);
    case "metadata":
    case "meta":
    case "root_meta":
      if (key !== undefined && key !== "" && !scope.isShifted)
        return inferMetadataCall(node, call, key, scope);
  }
  reportDeprecated(node, call.builtin, scope);
  const result = inferBuiltin(node, call, undefined, scope);
  if (call.builtin.name === "throw") fail(scope, node.span, "throw", "it is thrown");
  return result;
}

/** `receiver.name(args)` */
export function inferMethod(node: MethodCall, scope: Scope): Type {
  const call = scope.inference.facts.calls.get(node);
  if (call === undefined) return inferUnresolved(node, scope);
  const [arg] = call.args;
  const { receiver } = node;
  switch (call.builtin.name) {
    case "or":
      return arg === undefined ? unknown : inferCoalesce(receiver, arg, scope);
    case "catch":
      return arg === undefined ? unknown : inferCatch(node, arg, scope);
    case "map":
      return arg === undefined ? unknown : inferMap({ receiver, body: arg }, scope);
    case "apply":
      return inferApply(node, arg, scope);
    case "from":
      inferArgument(arg, 0, { builtin: call.builtin, target: unknown }, scope);
      return inferShifted(receiver, scope);
    case "from_all":
      return arrayOf(inferShifted(receiver, scope));
    case "exists":
    case "without":
      reportMisspelt(node, scope);
      return inferBuiltin(
        node,
        call,
        receiver,
        call.builtin.name === "exists" ? asking(receiver, scope) : scope,
      );
    case "type":
      // A query for the type of a field allows for the field being missing.
      return inferBuiltin(node, call, receiver, asking(receiver, scope));
    case "get":
      return inferGet(node, call, scope);
    case "sort":
    case "sort_by":
      // A query that is meant for the other one of the two methods was reported: it reads no fields.
      return inferBuiltin(
        node,
        call,
        receiver,
        swappedOrder(node, arg) === undefined ? scope : { ...scope, isGuarded: true },
      );
    default:
      reportDeprecated(node, call.builtin, scope);
      return inferBuiltin(node, call, receiver, scope);
  }
}

function asking(receiver: Expression, scope: Scope): Scope {
  return referenceOf(receiver, scope) === undefined ? scope : { ...scope, isGuarded: true };
}

/** Infers a call with a mistake that an earlier check has reported. */
function inferUnresolved(node: CallNode, scope: Scope): Type {
  if (node.kind === "MethodCall") scope.inference.infer(node.receiver, scope);
  fail(scope, node.span, "builtin", "the call is wrong");
  return unknown;
}

/** Infers the target in another message of the batch, which may not exist. */
function inferShifted(receiver: Expression, scope: Scope): Type {
  return scope.inference.infer(receiver, { ...scope, isShifted: true });
}

/** `json()`, `json("a.b")` */
function inferJson(node: FunctionCall, call: CheckedCall, key: string | undefined, scope: Scope): Type {
  const isWhole = node.args.length === 0 || key === "";
  if (scope.isShifted || (key === undefined && !isWhole)) return inferBuiltin(node, call, undefined, scope);
  const document = documentOf(typeOfPlace(scope, scope.block.message), node.span, scope);
  const [arg] = node.args;
  if (isWhole || key === undefined || arg === undefined) return document;
  return readSteps(document, stepsOf(arg.value, key), scope);
}

/** `.get("a.b")`: a mistake in the path is reported as for fields. */
function inferGet(node: MethodCall, call: CheckedCall, scope: Scope): Type {
  const key = literalArgument(node);
  const [arg] = node.args;
  if (key === undefined || arg === undefined) return inferBuiltin(node, call, node.receiver, scope);
  const target = scope.inference.infer(node.receiver, scope);
  return readSteps(target, stepsOf(arg.value, key), { ...scope, isGuarded: true });
}

/** Checks paths that may be absent: only a name that resembles a field is reported. */
function reportMisspelt(node: MethodCall, scope: Scope): void {
  const guarded = { ...scope, isGuarded: true };
  for (const { value } of node.args) {
    if (value.kind !== "StringLiteral") continue;
    readSteps(scope.inference.infer(node.receiver, guarded), stepsOf(value, value.value), guarded);
  }
}

/** Returns the segments of a quoted path, each with its own source range if the text has no escapes. */
function stepsOf(node: Expression, path: string) {
  const inner = insideQuotes(node);
  const isPlain = inner.source.text.slice(inner.start, inner.end) === path && !path.includes("~");
  let at = inner.start;
  return segmentsOf(path).map((text) => {
    const span = isPlain ? { ...inner, start: at, end: at + text.length } : inner;
    at += text.length + 1;
    return { text, span };
  });
}

function inferMetadataCall(node: FunctionCall, call: CheckedCall, key: string, scope: Scope): Type {
  const [arg] = node.args;
  const name = node.name.text;
  const place = name === "root_meta" ? scope.block.built : scope.block.received;
  const span = arg === undefined ? node.span : insideQuotes(arg.value);
  const type = readMetadata(typeOfPlace(scope, place), { text: key, span }, scope);
  reportDeprecated(node, call.builtin, scope, type);
  return name === "metadata" ? type : textOf(type);
}

/** Returns the text of a metadata value; null if it is missing. */
function textOf(type: Type): Type {
  return unionOf(
    alternativesOf(type).flatMap((each): Type[] => {
      if (each.kind === "Unknown") return [string, nullType];
      return each.kind === "String" || each.kind === "Null" ? [each] : [string];
    }),
  );
}

/**
 * Reports a deprecated builtin. `replaced` is the result type of its successor here, if it differs from that of the
 * call itself.
 */
function reportDeprecated(
  node: CallNode,
  { deprecated, name, successor }: Builtin,
  scope: Scope,
  replaced?: Type,
): void {
  if (!deprecated) return;
  const isSame =
    successor?.same === "always" || (successor?.same === "text" && isSurelyText(replaced, scope));
  scope.inference.report("GW3130", node.name.span, { name, successor: successor?.name, isSame });
}

/**
 * Whether a type is certainly text. An expression that is inferred for several types may be something else for another
 * one.
 */
function isSurelyText(type: Type | undefined, { isRepeated }: Scope): boolean {
  if (type === undefined || isRepeated) return false;
  return alternativesOf(type).every(({ kind }) => kind === "String" || kind === "Null");
}
