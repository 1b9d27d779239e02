// Logs the failures of a source that an input polls.

import type { BeginOutage, EndCondition } from "../conditions/conditions.ts";
import { MappingError, toGatewayError } from "../errors.ts";
import type { Logger } from "../process/log.ts";
import { describeFailure, type FailureDescription, failureSentence } from "./description.ts";
import { networkFault } from "./unreachable.ts";

/** The results of an input's attempts to read, in order. */
export interface SourceFailures {
  /** Records a failed attempt that will be repeated: the stream counts as failed until one succeeds. */
  failed(error: unknown): void;
  succeeded(): void;
}

/**
 * Logs the first of several equal failures, and the success after them. `what`: the beginning of each line and of the
 * reason for operators, such as `polling`.
 */
export function createSourceFailures(
  what: string,
  { log, beginOutage }: { readonly log: Logger; readonly beginOutage?: BeginOutage | undefined },
): SourceFailures {
  let logged: string | undefined;
  let endOutage: EndCondition | undefined;
  return {
    failed(error) {
      const description = describeSourceFailure(error);
      const sentence = failureSentence(description);
      if (sentence === logged) return;
      logged = sentence;
      log.warn(`${what} fails, trying on`, { ...description, ...causeOf(error) });
      const endEarlier = endOutage;
      endOutage = beginOutage?.(`${what} fails: ${sentence}`);
      endEarlier?.();
    },
    succeeded() {
      if (logged === undefined) return;
      logged = undefined;
      log.info(`${what} succeeds again`);
      endOutage?.();
      endOutage = undefined;
    },
  };
}

/** Logs the failures of something that messages use, such as a cache: it gets the log only when it is used. */
export function failuresOnce(what: string): (context: { readonly log: Logger }) => SourceFailures {
  let failures: SourceFailures | undefined;
  return ({ log }) => {
    failures ??= createSourceFailures(what, { log });
    return failures;
  };
}

function describeSourceFailure(error: unknown): FailureDescription {
  const failure = toGatewayError(error, 502, "The source cannot be read");
  const description = describeFailure(failure);
  if (networkFault(error) !== undefined) return { ...description, reason: "unreachable" };
  // The default reason of 502 means that a message was not delivered, which is not what failed here.
  return failure.status === 502 && failure.reason === undefined
    ? { ...description, reason: "source_failed" }
    : description;
}

/**
 * Returns the cause for the log: none for mappings, which may quote the message, and for network faults, already
 * described.
 */
function causeOf(error: unknown): { readonly error?: unknown } {
  if (error instanceof MappingError || networkFault(error) !== undefined) return {};
  const cause = error instanceof Error ? error.cause : undefined;
  return cause === undefined ? {} : { error: cause };
}
