// The inferred type of messages at a component, checked against the schema that the component declares.

import type { ComponentNode } from "../../trees/api.ts";
import { alternativesOf } from "../../value-types/alternatives.ts";
import { intersect } from "../../value-types/intersect.ts";
import { type MessageType, type Type, unknown } from "../../value-types/type.ts";
import { sameType, unionOf } from "../../value-types/union.ts";
import type { FlowContext } from "./context.ts";
import type { Passing } from "./passing.ts";
import { checkResult } from "./result.ts";

/** A component that may declare its messages, and the processors that made them, in order. */
export interface Declaring {
  readonly component: ComponentNode;
  readonly made: readonly ComponentNode[];
  readonly context: FlowContext;
}

/** Messages that come out of an input or a processor: what is known of them and what is declared hold together. */
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
  // Among messages that carried a flag before, those that it failed on are as they were.
  const isMixed = flagged !== undefined && flagged.failures.length > (at?.flagged?.failures.length ?? 0);
  return flagged === undefined || isMixed
    ? left
    : { well, flagged: { ...flagged, message: declare(flagged.message) } };
}

/** Messages that come to an output which writes those without a flag, and, where `takesFlagged`, others. */
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

/** Bytes are the text of a message, which may be any document. */
function readable(content: Type): Type {
  const alternatives = alternativesOf(content);
  if (!alternatives.some(({ kind }) => kind === "Bytes")) return content;
  return unionOf(alternatives.map((each) => (each.kind === "Bytes" ? unknown : each)));
}

/** What is of both; where nothing is, which was reported, what was declared. */
function join(found: Type, wanted: Type): Type {
  if (sameType(found, wanted)) return wanted;
  const both = intersect(found, wanted);
  return both.kind === "Never" ? wanted : both;
}
