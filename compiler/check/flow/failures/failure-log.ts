// Failures as they are met on the way through a stream in, each with all its destinations out.

import type { Destination, FailureFlow, StreamFailure } from "./stream-failure.ts";

/** What is known so far of the failures of a stream. */
export interface StreamFailures {
  /** Notes where messages with these failures get to. */
  reach(failures: readonly StreamFailure[], destination: Destination): void;
  /** Notes that a mapping asks for these failures. */
  ask(failures: readonly StreamFailure[]): void;
  /** Every failure in the order met. */
  flows(): readonly FailureFlow[];
}

/** An empty log. */
export function createFailureLog(): StreamFailures {
  const asked = new Set<StreamFailure>();
  const destinations = new Map<StreamFailure, Map<string, Destination>>();
  return {
    reach(failures, destination) {
      for (const failure of failures) {
        const known = destinations.get(failure) ?? new Map<string, Destination>();
        known.set(keyOf(destination), destination);
        destinations.set(failure, known);
      }
    },
    ask(failures) {
      for (const failure of failures) asked.add(failure);
    },
    flows: () =>
      [...destinations].map(([failure, known]) => ({
        ...failure,
        reaches: [...known.values()],
        isAsked: asked.has(failure),
      })),
  };
}

function keyOf(destination: Destination): string {
  switch (destination.kind) {
    case "output":
      return `output ${destination.output.nameSpan.start}`;
    case "handled":
      return `handled ${destination.by.nameSpan.start}`;
    default:
      return destination.kind;
  }
}
