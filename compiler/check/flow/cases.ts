// Distributes messages to cases in order: each case receives the messages that the checks of earlier cases left.

import { hasUnread } from "../../model/components.ts";
import { declaredOption, type GivenBlock, optionsNamed } from "../../model/options.ts";
import type { Span } from "../../source/source.ts";
import type { ComponentNode, QueryField } from "../../trees/api.ts";
import type { Expression } from "../../trees/mapping.ts";
import { anyMessage, type MessageType } from "../../value-types/type.ts";
import { isCovered } from "../inference/narrowing/covered.ts";
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
  /** Whether the check is known to be false for all messages, which is reported. */
  readonly isNever?: boolean;
}

/** A case, with the messages that reach it and those that continue. */
export interface PartedCase extends Parted {
  /** The components of the case: processors, or an output. */
  readonly inside: readonly ComponentNode[];
  readonly fallsThrough: boolean;
}

/** The options of a case, as far as the component has them. */
const caseOptions = optionsNamed([], ["check", "processors", "output", "continue", "fallthrough"]);

/** Returns the cases of a component that its descriptor declares in the option `name`. */
export function casesOf(component: ComponentNode, name: string): readonly GivenBlock[] {
  return declaredOption(component, name)?.blocks ?? [];
}

/** Returns the `check` of a case. */
export function checkOf(item: GivenBlock): QueryField | undefined {
  return caseOptions(item)?.check?.query;
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
  items: readonly GivenBlock[],
  place: ScriptPlace,
  { failedPass = false }: Cases = {},
): readonly PartedCase[] {
  let left = place.at;
  const earlier: Expression[] = [];
  let isReported = false;
  // A case also takes the messages that the one before it hands on.
  let isHandedOn = false;
  return items.map((item) => {
    const { processors, output, ...options } = caseOptions(item) ?? {};
    const isTaken = isEmpty(left) && !isEmpty(place.at) && !isHandedOn;
    const condition = options.check?.query?.query;
    const parted = partByCheck(item, { ...place, at: left });
    const isOpen = condition !== undefined && !isHandedOn && parted.isNever !== true;
    const isCoveredBefore = isOpen && isCovered(condition, earlier);
    const why = isTaken
      ? takenBefore
      : isCoveredBefore
        ? "the check of an earlier case covers it"
        : undefined;
    // The cases behind one that takes every message have the same cause.
    if (why !== undefined && !isReported) place.context.report("GW3110", spanOfCase(item), { why });
    isReported ||= isTaken;
    const continues = options.continue?.isTrue === true;
    if (condition !== undefined && !continues) earlier.push(condition);
    const passing = failedPass && parted.failed !== undefined ? { failed: undefined, left } : {};
    const inside = [...(processors?.components ?? []), ...(output?.components ?? [])];
    isHandedOn = options.fallthrough?.isTrue === true;
    const result = { inside, fallsThrough: isHandedOn, ...parted, ...passing };
    if (!continues) left = result.left;
    return result;
  });
}

function partByCheck(item: GivenBlock, { component, at, context }: ScriptPlace): Parted {
  const option = caseOptions(item)?.check;
  const check = option?.query;
  if (option?.value === undefined && hasUnread(item.value))
    return { taken: at, left: at, failed: undefined, isMeantForFlagged: true };
  if (check === undefined)
    return { taken: at, left: noMessages, failed: undefined, isMeantForFlagged: false };
  const { type, whenTrue, whenFalse, failures } = passQuery(check, { component, at, context });
  const byFlag = flagTest(check.query);
  if (byFlag !== undefined) return partByFlag(at, byFlag);
  const isNever = type.kind === "Bool" && type.value === false;
  if (isNever) context.report("GW3110", check.span, { why: "its check is never true" });
  const isAlways = type.kind === "Bool" && type.value === true;
  return {
    taken: narrowed(at, whenTrue),
    left: isAlways ? noMessages : narrowed(at, whenFalse),
    failed: failures.length === 0 || isEmpty(at) ? undefined : { message: messageAt(at), failures },
    isMeantForFlagged: flagReads(check.query).length > 0,
    isNever,
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
function spanOfCase(item: GivenBlock): Span {
  const first = item.value.kind === "Object" ? item.value.fields[0]?.nameSpan : undefined;
  return caseOptions(item)?.check?.value?.span ?? first ?? item.value.span;
}
