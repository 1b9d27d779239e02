// Processors that run others depending on failures, or several times.

import { descriptorOf } from "../../../schemas/component.ts";
import type { ComponentNode } from "../../trees/api.ts";
import { anyMessage, integer, type MessageType, type Type, unknown } from "../../value-types/type.ts";
import { sameType } from "../../value-types/union.ts";
import { noMessages } from "./cases.ts";
import type { FlowContext } from "./context.ts";
import { createFailureLog } from "./failures/failure-log.ts";
import { joinMessages, withMetadata } from "./message.ts";
import { type Flagged, joinFlagged, joinPassings, type Passing } from "./passing.ts";
import { passScripts } from "./scripts.ts";

/** A component that runs others, and the messages that reach it. */
export interface ComponentGroup {
  readonly component: ComponentNode;
  readonly at: Passing;
  readonly context: FlowContext;
  /** Follows messages through processors in order. */
  readonly pass: (processors: readonly ComponentNode[], at: Passing, context: FlowContext) => Passing;
}

/** `try`: a message that something failed on skips the remaining processors. */
export function tryInOrder(
  { component, at, context, pass }: ComponentGroup,
  processors: readonly ComponentNode[],
): Passing {
  if (at.well === undefined && at.flagged !== undefined) context.report("GW3205", component.nameSpan, {});
  let inside: Passing = { well: at.well, flagged: undefined };
  let { flagged } = at;
  for (const processor of processors) {
    if (descriptorOf("processor", processor)?.flow.kind === "catch" && flagged !== at.flagged) {
      context.report("GW3207", processor.nameSpan, {});
      // Follow it as a block that no message reaches.
      pass([processor], noMessages, context);
      continue;
    }
    const outcome = pass([processor], inside, context);
    flagged = joinFlagged([flagged, outcome.flagged]);
    inside = { well: outcome.well, flagged: undefined };
  }
  return { well: inside.well, flagged };
}

/** `catch`: only flagged messages, which leave it without their flag whatever fails inside. */
export function catchFlagged(
  { component, at, context, pass }: ComponentGroup,
  processors: readonly ComponentNode[],
): Passing {
  const { well, flagged } = at;
  if (flagged === undefined && well !== undefined) context.report("GW3203", component.nameSpan, {});
  const outcome = pass(processors, { well: undefined, flagged }, context);
  const failures = [...(flagged?.failures ?? []), ...(outcome.flagged?.failures ?? [])];
  context.failures.reach(failures, { kind: "handled", by: component });
  return { well: joinKnown([well, outcome.well, outcome.flagged?.message]), flagged: undefined };
}

/** `retry`: begins without a flag; its messages contain the number of attempts. */
export function retryUntilWell(
  { component, at, context, pass }: ComponentGroup,
  processors: readonly ComponentNode[],
): Passing {
  if (at.flagged !== undefined)
    context.failures.reach(at.flagged.failures, { kind: "handled", by: component });
  const entering = { well: joinKnown([at.well, at.flagged?.message]), flagged: undefined };
  const { well, flagged } = pass(processors, entering, context);
  const counted = (message: MessageType) =>
    withMetadata(message, [
      ["retry_count", integer],
      ["backoff_duration", integer],
    ]);
  return {
    well: well && counted(well),
    flagged: flagged && { ...flagged, message: counted(flagged.message) },
  };
}

/**
 * `while`: the messages of a round come from before the loop, or from the previous round, whose flag they may carry.
 */
export function runWhile(
  { component, at, context, pass }: ComponentGroup,
  processors: readonly ComponentNode[],
): Passing {
  const round: Passing = {
    well: at.well && messageOfRounds(at.well, processors, context, pass),
    flagged: at.flagged ?? { message: anyMessage, failures: [] },
  };
  const failures = passScripts(component.config, { component, at: round, context });
  const outcome = pass(processors, round, context);
  const stopped: Flagged | undefined = failures.length === 0 ? undefined : { message: anyMessage, failures };
  const before: Passing = { well: at.well, flagged: joinFlagged([at.flagged, stopped]) };
  const isFlagged = at.flagged !== undefined || (outcome.flagged?.failures ?? []).length > 0;
  return joinPassings([before, isFlagged ? outcome : { ...outcome, flagged: undefined }]);
}

/** More rounds reveal no more about a message than two do, unless the message grows with each. */
const maximumTrials = 3;

/**
 * Returns the message type in each round: tries rounds until one leaves the type unchanged, otherwise nothing is known.
 */
function messageOfRounds(
  before: MessageType,
  processors: readonly ComponentNode[],
  context: FlowContext,
  pass: ComponentGroup["pass"],
): MessageType {
  if (context.isTrial) return anyMessage;
  const quiet = { ...context, scripts: context.scripts.quiet, report: () => {}, steps: [], replies: [] };
  const trial = { ...quiet, failures: createFailureLog(), isTrial: true };
  let message = before;
  for (let tried = 0; tried < maximumTrials; tried++) {
    const { well, flagged } = pass(processors, { well: message, flagged: undefined }, trial);
    const after = joinKnown([message, well, flagged?.message]) ?? anyMessage;
    if (sameMessage(after, message)) return message;
    message = after;
  }
  return anyMessage;
}

function sameMessage(one: MessageType, other: MessageType): boolean {
  return sameType(one.content, other.content) && sameType(metadataOf(one), metadataOf(other));
}

function metadataOf({ metadata: { known, others } }: MessageType): Type {
  return { kind: "Object", fields: known, rest: others ? unknown : undefined };
}

function joinKnown(messages: readonly (MessageType | undefined)[]): MessageType | undefined {
  const known = messages.filter((message) => message !== undefined);
  return known.length === 0 ? undefined : joinMessages(known);
}
