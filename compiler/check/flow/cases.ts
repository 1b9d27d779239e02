// Distributes messages to cases in order: each case receives the messages that the checks of earlier cases left.

import { hasUnread } from "../../model/components.ts";
import type { Span } from "../../source/source.ts";
import type { FieldNode } from "../../trees/api.ts";
import { findField } from "../../trees/fields.ts";
import type { Expression } from "../../trees/mapping.ts";
import { anyMessage, type MessageType } from "../../value-types/type.ts";
import { isCovered } from "../inference/narrowing/covered.ts";
import { isOn } from "./children.ts";
import { flagReads, flagTest } from "./failures/flag-reads.ts";
import { type Flagged, messageAt, type Passing } from "./passing.ts";
import { passQuery, type ScriptPlace } from "./scripts.ts";

/** No messages at all. */
export const noMessages: Passing = { well: undefined, flagged: undefined };

/** How a check divides messages. */
export interface Parted {
  readonly taken: Passing;
  readonly left: Passing;
  /** Messages that the check itself fails on, unless they continue to the next case. */
  readonly failed: Flagged | undefined;
  /** Whether the case is intended for messages with an error flag. */
  readonly isMeantForFlagged: boolean;
}

/** A case, with the messages that reach it and those that continue. */
export interface PartedCase extends Parted {
  readonly item: FieldNode;
}

/** Options for the treatment of messages. */
export interface Cases {
  /** Whether messages that a check fails on continue to the next case, as if the check were false. */
  readonly failedPass?: boolean;
}

/**
 * Divides messages by the `check` of each case in turn; a case without one takes all. Reports cases that no message
 * reaches.
 */
export function partByCases(
  items: readonly FieldNode[],
  place: ScriptPlace,
  { failedPass = false }: Cases = {},
): readonly PartedCase[] {
  let left = place.at;
  const earlier: Expression[] = [];
  let isReported = false;
  return items.map((item, index) => {
    // A case also takes the messages that the one before it hands on.
    const before = items[index - 1];
    const isHandedOn = before !== undefined && isOn(before, "fallthrough");
    const isTaken = isEmpty(left) && !isEmpty(place.at) && !isHandedOn;
    const check = findField(item, "check");
    const condition = check?.kind === "Query" ? check.query : undefined;
    const isCoveredBefore = condition !== undefined && !isHandedOn && isCovered(condition, earlier);
    const why = isTaken
      ? takenBefore
      : isCoveredBefore
        ? "the check of an earlier case covers it"
        : undefined;
    // The cases behind one that takes every message have the same cause.
    if (why !== undefined && !isReported) place.context.report("GW3110", spanOfCase(item), { why });
    isReported ||= isTaken;
    if (condition !== undefined && !isOn(item, "continue")) earlier.push(condition);
    const parted = partByCheck(item, { ...place, at: left });
    const passing = failedPass && parted.failed !== undefined ? { failed: undefined, left } : {};
    const result = { item, ...parted, ...passing };
    if (!isOn(item, "continue")) left = result.left;
    return result;
  });
}

function partByCheck(item: FieldNode, { component, at, context }: ScriptPlace): Parted {
  const check = findField(item, "check");
  if (check === undefined && hasUnread(item))
    return { taken: at, left: at, failed: undefined, isMeantForFlagged: true };
  if (check?.kind !== "Query")
    return { taken: at, left: noMessages, failed: undefined, isMeantForFlagged: false };
  const { type, whenTrue, whenFalse, failures } = passQuery(check, { component, at, context });
  const byFlag = flagTest(check.query);
  if (byFlag !== undefined) return partByFlag(at, byFlag);
  if (type.kind === "Bool" && type.value === false) {
    context.report("GW3110", check.span, { why: "its check is never true" });
  }
  const isAlways = type.kind === "Bool" && type.value === true;
  return {
    taken: narrowed(at, whenTrue),
    left: isAlways ? noMessages : narrowed(at, whenFalse),
    failed: failures.length === 0 || isEmpty(at) ? undefined : { message: messageAt(at), failures },
    isMeantForFlagged: flagReads(check.query).length > 0,
  };
}

const takenBefore = "the cases before it match all messages";

function partByFlag({ well, flagged }: Passing, taken: "flagged" | "well"): Parted {
  const withFlag: Passing = { well: undefined, flagged };
  const without: Passing = { well, flagged: undefined };
  return taken === "flagged"
    ? { taken: withFlag, left: without, failed: undefined, isMeantForFlagged: true }
    : { taken: without, left: withFlag, failed: undefined, isMeantForFlagged: true };
}

/** Applies the facts that a check proves to the messages that it was written for. */
function narrowed({ well, flagged }: Passing, message: MessageType): Passing {
  // A case without messages is reported; what it would do to flagged messages is not judged as well.
  if (message.content.kind === "Never")
    return well === undefined
      ? noMessages
      : { well: undefined, flagged: flagged && { ...flagged, message: anyMessage } };
  return well === undefined
    ? { well, flagged: flagged && { ...flagged, message } }
    : { well: message, flagged };
}

function isEmpty({ well, flagged }: Passing): boolean {
  return well === undefined && flagged === undefined;
}

/** Returns the source range of the check of a case, otherwise of its first key. */
function spanOfCase(item: FieldNode): Span {
  const check = findField(item, "check")?.span;
  const first = item.kind === "Object" ? item.fields[0]?.nameSpan : undefined;
  return check ?? first ?? item.span;
}
