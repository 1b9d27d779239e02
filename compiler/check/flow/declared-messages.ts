// Compares the inferred type of messages at a component with the schema that the component declares, and reports each
// field where it was assigned.

import { descriptorOf } from "../../../schemas/component.ts";
import type { Report } from "../../diagnostics/sink.ts";
import type { Span } from "../../source/source.ts";
import type { ComponentNode, MappingField } from "../../trees/api.ts";
import type { Assign, Statement } from "../../trees/mapping.ts";
import { alternativesOf } from "../../value-types/alternatives.ts";
import { explainMismatch } from "../../value-types/assignable.ts";
import { intersect } from "../../value-types/intersect.ts";
import { type Mismatch, type PathStep, printPath } from "../../value-types/mismatch.ts";
import { printType } from "../../value-types/print.ts";
import { type MessageType, type Type, unknown } from "../../value-types/type.ts";
import { sameType, unionOf } from "../../value-types/union.ts";
import type { FlowContext } from "./context.ts";
import type { Passing } from "./passing.ts";

/** A component that may declare its messages, and the processors that produced them, in order. */
export interface Declaring {
  readonly component: ComponentNode;
  readonly made: readonly ComponentNode[];
  readonly context: FlowContext;
}

/** Returns the messages of an input or a processor with the inferred and the declared type combined. */
export function asDeclared({ component, made, context }: Declaring, left: Passing, at?: Passing): Passing {
  const wanted = context.declaredOf(component);
  if (wanted === undefined) return left;
  const { well, flagged } = left;
  const declare = (message: MessageType): MessageType => {
    const result = readable(message.content);
    checkResult({ processors: made, component, result, wanted }, context.report);
    return { ...message, content: join(result, wanted) };
  };
  if (well !== undefined) return { well: declare(well), flagged };
  // Among messages that already had a flag, those that failed again are unchanged.
  const isMixed = flagged !== undefined && flagged.failures.length > (at?.flagged?.failures.length ?? 0);
  return flagged === undefined || isMixed
    ? left
    : { well, flagged: { ...flagged, message: declare(flagged.message) } };
}

/** Checks the messages of an output, which receives those without a flag and, with `takesFlagged`, those with one. */
export function checkDeclared(
  { component, made, context }: Declaring,
  { well, flagged }: Passing,
  takesFlagged: boolean,
): void {
  const wanted = context.declaredOf(component);
  const message = well ?? (takesFlagged ? flagged?.message : undefined);
  if (wanted === undefined || message === undefined) return;
  const result = readable(message.content);
  checkResult({ processors: made, component, result, wanted }, context.report);
}

/** Replaces bytes by `unknown`: bytes are the text of a message, which may be any document. */
function readable(content: Type): Type {
  const alternatives = alternativesOf(content);
  if (!alternatives.some(({ kind }) => kind === "Bytes")) return content;
  return unionOf(alternatives.map((each) => (each.kind === "Bytes" ? unknown : each)));
}

/** Returns the intersection; the declared type if the intersection is empty, which was reported. */
function join(found: Type, wanted: Type): Type {
  if (sameType(found, wanted)) return wanted;
  const both = intersect(found, wanted);
  return both.kind === "Never" ? wanted : both;
}

/** Messages at a component that declares them. */
interface Result {
  /** The processors that produced the messages, in order. */
  readonly processors: readonly ComponentNode[];
  readonly component: ComponentNode;
  readonly result: Type;
  readonly wanted: Type;
}

/** Reports each difference between the inferred and the declared type. Fields that one place lacks are one. */
function checkResult({ processors, component, result, wanted }: Result, report: Report): void {
  const placed = explainMismatch(result, wanted).map((mismatch) => ({
    mismatch,
    span: findPlace(mismatch, processors) ?? component.nameSpan,
  }));
  const groups = Map.groupBy(placed, (each) => groupOf(each) ?? each);
  for (const [first, ...more] of groups.values()) {
    if (first === undefined) continue;
    const { mismatch, span } = first;
    const { path, problem, certain, closest, wantedSpan } = mismatch;
    const details = {
      field: printPath(path),
      ...(more.length > 0 && { others: more.map((each) => printPath(each.mismatch.path)) }),
      problem,
      found: mismatch.found && printType(mismatch.found),
      wanted: mismatch.wanted && printType(mismatch.wanted),
      closest,
    };
    const related = wantedSpan && { span: wantedSpan, message: "It is declared here." };
    report(certain ? "GW3200" : "GW3201", span, details, related);
  }
}

/** A difference, and the place where it is reported. */
interface Placed {
  readonly mismatch: Mismatch;
  readonly span: Span;
}

/** Returns what the missing fields of one place have in common; `undefined` for other differences. */
function groupOf({ mismatch: { problem, certain, closest }, span }: Placed): string | undefined {
  if (problem !== "missing" || closest !== undefined) return undefined;
  const { source, start } = span;
  return `${certain} ${source.offsetInFile(start)} ${source.file.path}`;
}

/** Returns the last assignment of the field or of the object around it, in the mappings that produced the message. */
function findPlace(
  { path, problem, closest }: Mismatch,
  processors: readonly ComponentNode[],
): Span | undefined {
  // A missing field was never assigned, but one with a similar name or the object around it was.
  const around = path.slice(0, -1);
  const wanted = problem !== "missing" ? path : closest === undefined ? around : [...around, closest];
  let copy: Assign | undefined;
  for (const processor of processors.toReversed()) {
    const { config } = processor;
    const found =
      config.kind === "Mapping" ? (findExact(config, path) ?? findAssign(config, wanted)) : undefined;
    // A copy of the message has the fields that earlier mappings assigned.
    if (found !== undefined && isCopy(found)) copy ??= found;
    else if (found !== undefined) return targetSpan(found);
    else if (!keepsDocument(processor)) break;
  }
  return copy && targetSpan(copy);
}

/** Whether an assignment is `root = this`, possibly without some fields. */
function isCopy({ target, value }: Assign): boolean {
  let from = value;
  while (from.kind === "MethodCall" && from.name.text === "without") from = from.receiver;
  return target.length === 0 && from.kind === "This";
}

/** Whether the fields that a processor does not assign are those of the message before it. */
function keepsDocument(processor: ComponentNode): boolean {
  const { config } = processor;
  if (config.kind === "Mapping") return config.startsFrom === "message";
  const flow = descriptorOf("processor", processor)?.flow;
  return flow?.kind === "message" && typeof flow.effect === "object" && flow.effect.content === "same";
}

function findExact({ mapping }: MappingField, path: readonly PathStep[]): Assign | undefined {
  return mapping.statements.flatMap(assignsIn).findLast(({ target }) => isPath(target, path));
}

function findAssign({ mapping }: MappingField, wanted: readonly PathStep[]): Assign | undefined {
  const assigns = mapping.statements.flatMap(assignsIn);
  for (let length = wanted.length; length >= 0; length--) {
    const found = assigns.findLast(({ target }) => isPath(target, wanted.slice(0, length)));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the assignments of a statement, including those inside conditions, in source order. */
function assignsIn(statement: Statement): readonly Assign[] {
  if (statement.kind === "Assign") return [statement];
  if (statement.kind !== "IfStatement") return [];
  const inner = statement.branches.flatMap((branch) => branch.statements);
  return [...inner, ...(statement.otherwise ?? [])].flatMap(assignsIn);
}

function isPath(target: Assign["target"], path: readonly PathStep[]): boolean {
  return target.length === path.length && target.every((name, index) => name.text === path[index]);
}

/** Returns the source range of the assigned path; for the whole root, that of the keyword. */
function targetSpan({ target, span }: Assign): Span {
  const [first, last] = [target[0], target.at(-1)];
  if (first === undefined || last === undefined) return { ...span, end: span.start + "root".length };
  return { ...first.span, end: last.span.end };
}
