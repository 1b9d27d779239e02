// `|`, `or` and `catch`: what to do where a value is missing or cannot be had. Paths need no exceptions.

import { decidedSide } from "../../plan/mapping/facts.ts";
import type { CatchFallback, Coalesce, PathRead, Planned } from "../../plan/mapping/ir.ts";
import { type Code, call, code, raw } from "../code.ts";
import { emitClosure, emitThunk } from "./closures.ts";
import { emitExpression } from "./dispatch.ts";
import { emitPathOpen } from "./paths.ts";
import { type Emitted, operand, precedences, primary } from "./precedence.ts";
import { runtime } from "./runtime.ts";
import { canFail, type EmitScope, readDocumentIfAny } from "./scope.ts";

/** `left ?? right`, with `left` null where it fails or means an absence. */
export function emitCoalesce(node: Coalesce, scope: EmitScope): Emitted {
  const decided = decidedSide(node);
  if (decided !== undefined) return emitExpression(decided, scope);
  const { left, right } = node;
  const first = emitNullable(left, scope);
  if (right.kind === "Path") {
    const { value, optional } = emitPathOpen(right, scope);
    return {
      code: code`${first} ?? ${value}${raw(optional ? " ?? null" : "")}`,
      level: precedences.coalesce,
    };
  }
  const emitted = emitExpression(right, scope);
  // A chain of `??` needs no brackets; every weaker operator does.
  const second =
    emitted.level === precedences.coalesce ? emitted.code : operand(emitted, precedences.equality);
  return { code: code`${first} ?? ${second}`, level: precedences.coalesce };
}

/** The value, null or undefined where there is none. */
function emitNullable(node: Planned, scope: EmitScope): Code {
  if (node.kind === "Coalesce") {
    const decided = decidedSide(node);
    if (decided !== undefined) return emitNullable(decided, scope);
    const left = emitNullable(node.left, scope);
    return code`${left} ?? ${emitNullable(node.right, scope)}`;
  }
  if (node.kind === "Fallback" && !canFail(node.target, scope)) return emitNullable(node.target, scope);
  if (isDocumentPath(node) && scope.state.kind !== "mutation") {
    return emitPathOpen(node, scope, readDocumentIfAny(scope)).value;
  }
  if (canFail(node, scope)) return call(runtime("attempt"), [emitThunk(node, scope)]);
  if (node.kind === "Path" && !node.absence) {
    const { value } = emitPathOpen(node, scope);
    return value;
  }
  const emitted = emitExpression(node, scope);
  return node.absence ? call(runtime("present"), [emitted.code]) : operand(emitted, precedences.equality);
}

function isDocumentPath(node: Planned): node is PathRead {
  return node.kind === "Path" && node.base.kind === "document";
}

/** The target, or the fallback with the error text where it fails. */
export function emitFallback({ target, local, fallback }: CatchFallback, scope: EmitScope): Emitted {
  if (!canFail(target, scope)) return emitExpression(target, scope);
  return primary(call(runtime("rescue"), [emitThunk(target, scope), emitClosure(local, fallback, scope)]));
}
