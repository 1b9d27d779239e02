// Lowers reads of `this`, `root`, labels and their fields. A chain of fields becomes one path.

import type { Span } from "../../source/source.ts";
import type { ContextName, Expression, FieldAccess } from "../../trees/mapping.ts";
import { anything } from "./facts.ts";
import type { PathBase, PathRead, Planned } from "./ir.ts";
import { documentContext, type PlanScope, planExpression, type ReadContext } from "./scope.ts";

/** `this` */
export function planThis(span: Span, scope: PlanScope): PathRead {
  return path(span, contextBase(scope.current, "this"), [], "field `this`");
}

/** `root` on the right of an assignment */
export function planRoot(span: Span, scope: PlanScope): PathRead {
  return rootPath(span, [], "field `root`", scope);
}

/** Lowers the label of a lambda. */
export function planLabel(node: ContextName, scope: PlanScope): PathRead {
  const context = scope.labels.get(node.name) ?? documentContext;
  return path(node.span, contextBase(context, node.name), [], `field \`${node.name}\``);
}

/** Lowers `receiver.a.b`: one path for the whole chain. */
export function planField(node: FieldAccess, scope: PlanScope): Planned {
  const segments: string[] = [];
  let receiver: Expression = node;
  for (; receiver.kind === "FieldAccess"; receiver = receiver.receiver) segments.unshift(receiver.name.text);
  const text = formatSegments(segments);
  switch (receiver.kind) {
    case "This":
      return path(node.span, contextBase(scope.current, `this.${text}`), segments, `field \`this.${text}\``);
    case "Root":
      return rootPath(node.span, segments, `field \`root.${text}\``, scope);
    case "ContextName": {
      const { name } = receiver;
      const context = scope.labels.get(name) ?? documentContext;
      return path(node.span, contextBase(context, `${name}.${text}`), segments, `field \`${name}.${text}\``);
    }
    default: {
      const value = planExpression(receiver, scope);
      return path(node.span, { kind: "value", value }, segments, readBelow(value, text));
    }
  }
}

/** Returns the description of the read of a path below `value` in error texts; a path below a path is one path. */
export function readBelow(value: Planned, text: string): string {
  const isRead = value.kind === "Path" || (value.kind === "Call" && value.builtin.name === "get");
  return isRead && /^(?:field|path) `/.test(value.from)
    ? `${value.from.slice(0, -1)}.${text}\``
    : `path \`${text}\``;
}

function contextBase(context: ReadContext, reference: string): PathBase {
  return context.kind === "document" ? { kind: "document", reference } : context;
}

function rootPath(span: Span, segments: readonly string[], from: string, scope: PlanScope): PathRead {
  const read = path(span, { kind: "root" }, segments, from);
  return scope.isRootless === true ? { ...read, fails: "maybe" } : read;
}

function path(span: Span, base: PathBase, segments: readonly string[], from: string): PathRead {
  return { kind: "Path", base, segments, ...anything(span, from), ...pathFacts(base, segments) };
}

function pathFacts(base: PathBase, segments: readonly string[]): Pick<PathRead, "fails" | "absence"> {
  const whole = segments.length === 0;
  switch (base.kind) {
    case "document":
      return { fails: "document", absence: false };
    case "root":
      return { fails: "never", absence: whole };
    case "Local":
      // The query of `fold` finds in `tally` whatever it returned before.
      return { fails: "never", absence: whole || (segments.length === 1 && segments[0] === "tally") };
    case "value":
      return { fails: base.value.fails, absence: whole && base.value.absence };
  }
}

/** Returns the dot path of segments in the notation of error texts. */
function formatSegments(segments: readonly string[]): string {
  return segments.map((segment) => segment.replaceAll("~", "~0").replaceAll(".", "~1")).join(".");
}
