// Messages at one place of a stream: those without a failure, and those with an error flag.

import { anyMessage, type MessageType } from "../../value-types/type.ts";
import type { StreamFailure } from "./failures/stream-failure.ts";
import { joinMessages } from "./message.ts";

/** Messages that something failed on. */
export interface Flagged {
  readonly message: MessageType;
  /** The failures that they may carry; empty if these are reported elsewhere. */
  readonly failures: readonly StreamFailure[];
}

/** The messages that reach a place; `undefined` if there are none of a kind. */
export interface Passing {
  readonly well: MessageType | undefined;
  readonly flagged: Flagged | undefined;
}

/** The result of a step for a message if nothing fails, and the possible failures. */
export interface Effect {
  /** The same object that the step received, if the step does not change it. */
  readonly message: MessageType;
  readonly failures: readonly StreamFailure[];
}

/** Returns the messages that a script is written for: those without a flag, unless only flagged messages arrive. */
export function messageAt({ well, flagged }: Passing): MessageType {
  return well ?? flagged?.message ?? anyMessage;
}

/** Returns the result of a step that flags a message on which it fails, and leaves its content unchanged. */
export function passStep(at: Passing, { message, failures }: Effect): Passing {
  const before = messageAt(at);
  if (at.well === undefined) {
    if (at.flagged === undefined) return at;
    const left = failures.length > 0 ? joinMessages([message, before]) : message;
    return { well: undefined, flagged: { message: left, failures: [...at.flagged.failures, ...failures] } };
  }
  const flagged = failures.length > 0 ? { message: before, failures } : undefined;
  return { well: message, flagged: joinFlagged([carried(at.flagged, message !== before), flagged]) };
}

/** Flagged messages also pass steps that are written for other messages, so their type afterwards is unknown. */
function carried(flagged: Flagged | undefined, isChanged: boolean): Flagged | undefined {
  return flagged === undefined || !isChanged ? flagged : { ...flagged, message: anyMessage };
}

/** Joins the flagged messages of several branches; `undefined` if there are none. */
export function joinFlagged(ways: readonly (Flagged | undefined)[]): Flagged | undefined {
  const [first, ...others] = ways.filter((way) => way !== undefined);
  if (first === undefined || others.length === 0) return first;
  const all = [first, ...others];
  return {
    message: joinMessages(all.map(({ message }) => message)),
    failures: [...new Set(all.flatMap(({ failures }) => failures))],
  };
}

/** Joins the messages of several branches. */
export function joinPassings(ways: readonly Passing[]): Passing {
  const wells = ways.flatMap(({ well }) => (well === undefined ? [] : [well]));
  return {
    well: wells.length === 0 ? undefined : joinMessages(wells),
    flagged: joinFlagged(ways.map(({ flagged }) => flagged)),
  };
}
