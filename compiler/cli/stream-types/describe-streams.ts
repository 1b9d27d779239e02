// Describes the types of the messages of each stream of a checked set, step by step.

import type { CheckedSet } from "../../check/checked-set.ts";
import { printDestination } from "../../check/flow/failures/stream-failure.ts";
import { locate, type Span } from "../../source/source.ts";
import type { MessageType } from "../../value-types/type.ts";

/** A stream and its steps. */
export interface StreamDescription {
  /** Path of the document, as shown to people. */
  readonly file: string;
  readonly api: string;
  readonly name: string;
  readonly steps: readonly StepDescription[];
}

/** The messages after one step; for `output`, the messages that it receives. */
export interface StepDescription {
  /** `input`, `processors[0].mapping`, `output` */
  readonly name: string;
  readonly component: string;
  readonly label?: string;
  readonly place: DescribedPlace;
  readonly message: MessageType;
  readonly failures: readonly StepFailure[];
}

/** A possible failure in a step. */
export interface StepFailure {
  /** One clause: `` `/` does not take `null` ``. */
  readonly reason: string;
  readonly place: DescribedPlace;
  /** The destinations of the message in that case, in words. */
  readonly goesTo: readonly string[];
}

/** A position in a file. Lines and columns count from 1. */
export interface DescribedPlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Returns the streams of a set in the order written. */
export function describeStreams(checked: CheckedSet): readonly StreamDescription[] {
  return checked.set.apis.flatMap((api) =>
    api.streams.map((stream) => {
      const failures = Map.groupBy(checked.failures(stream), ({ component }) => component);
      const steps = checked.namedSteps(stream).map(({ name, component, message }) => ({
        name,
        component: component.name,
        ...(component.label === undefined ? {} : { label: component.label }),
        place: placeOf(component.nameSpan),
        message,
        failures: (failures.get(component) ?? []).map(({ reason, span, reaches }) => ({
          reason,
          place: placeOf(span),
          goesTo: reaches.map(printDestination),
        })),
      }));
      return { file: api.file.path, api: api.id, name: stream.name, steps };
    }),
  );
}

function placeOf(span: Span): DescribedPlace {
  const { file, start } = locate(span);
  return { file: file.path, line: start.line, column: start.column };
}
