// Collects the failures that occur in a stream, each with all its destinations.

import type { Destination, FailureFlow, StreamFailure } from "./stream-failure.ts";

/** The failures of a stream that are known so far. */
export interface StreamFailures {
  /** Records a destination of messages with these failures. */
  reach(failures: readonly StreamFailure[], destination: Destination): void;
  /** Records that a mapping reads these failures. */
  read(failures: readonly StreamFailure[]): void;
  /** Returns every failure in the order of occurrence. */
  flows(): readonly FailureFlow[];
}

/** Returns an empty log. */
export function createFailureLog(): StreamFailures {
  const read = new Set<StreamFailure>();
  const destinations = new Map<StreamFailure, Map<string, Destination>>();
  return {
    reach(failures, destination) {
      for (const failure of failures) {
        const known = destinations.get(failure) ?? new Map<string, Destination>();
        known.set(keyOf(destination), destination);
        destinations.set(failure, known);
      }
    },
    read(failures) {
      for (const failure of failures) read.add(failure);
    },
    flows: () =>
      [...destinations].map(([failure, known]) => ({
        ...failure,
        reaches: [...known.values()],
        isRead: read.has(failure),
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
