// A source that an input asks again and again, as long as it gives nothing.

import type { BeginOutage, EndCondition } from "../conditions/conditions.ts";
import { MappingError, toGatewayError } from "../errors.ts";
import type { Logger } from "../process/log.ts";
import { describeFailure, type FailureDescription, failureSentence } from "./description.ts";
import { networkFault } from "./unreachable.ts";

/** The attempts of an input to read, one after the other. */
export interface SourceFailures {
  /** An attempt failed, and another one follows: the stream has failed until one succeeds. */
  failed(error: unknown): void;
  succeeded(): void;
}

/**
 * Logs the first of several failures that are alike, and the success after them. `what` begins each line and the reason
 * that operators see: `polling`.
 */
export function createSourceFailures(
  what: string,
  { log, beginOutage }: { readonly log: Logger; readonly beginOutage?: BeginOutage | undefined },
): SourceFailures {
  let told: string | undefined;
  let endOutage: EndCondition | undefined;
  return {
    failed(error) {
      const description = describeSourceFailure(error);
      const sentence = failureSentence(description);
      if (sentence === told) return;
      told = sentence;
      log.warn(`${what} fails, trying on`, { ...description, ...causeOf(error) });
      const endEarlier = endOutage;
      endOutage = beginOutage?.(`${what} fails: ${sentence}`);
      endEarlier?.();
    },
    succeeded() {
      if (told === undefined) return;
      told = undefined;
      log.info(`${what} succeeds again`);
      endOutage?.();
      endOutage = undefined;
    },
  };
}

/** The failures of something that each message asks, such as a cache: it has the log only when it is asked. */
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
  // What the word for 502 means to callers, that a message was not delivered, is not what failed here.
  return failure.status === 502 && failure.reason === undefined
    ? { ...description, reason: "source_failed" }
    : description;
}

/** What a mapping says may quote the message; a fault of the network is described in full. */
function causeOf(error: unknown): { readonly error?: unknown } {
  if (error instanceof MappingError || networkFault(error) !== undefined) return {};
  const cause = error instanceof Error ? error.cause : undefined;
  return cause === undefined ? {} : { error: cause };
}
