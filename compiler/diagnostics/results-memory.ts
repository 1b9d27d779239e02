// Results of earlier checks of a text that changes, for editors: what depends on nothing that changed is not found out again,
// and what was reported with it is reported again.

import type { Span } from "../source/source.ts";
import type { Related } from "./diagnostic.ts";
import type { Report } from "./sink.ts";

/** Keeps results between checks. Those of nodes that are gone go with them. */
export interface ResultsMemory {
  /**
   * What `work` gives. `node` and what `inputs` gives are all that it depends on, compared by identity; `of` names one of
   * several results of a node. What it reports is reported each time.
   */
  recall<T>(of: string, node: object, inputs: Inputs, report: Report, work: Work<T>): T;
}

/** Called only where results are kept. */
type Inputs = () => readonly unknown[];

/** Gives a result, and reports what is wrong on the way to the report it is given. */
type Work<T> = (report: Report) => T;

interface Remembered {
  readonly inputs: readonly unknown[];
  readonly value: unknown;
  readonly reported: readonly ((report: Report) => void)[];
}

/** A memory with nothing in it. */
export function createResultsMemory(): ResultsMemory {
  const byNode = new WeakMap<object, Map<string, Remembered>>();
  return {
    recall<T>(of: string, node: object, inputsOf: Inputs, report: Report, work: Work<T>): T {
      const inputs = inputsOf();
      const known = byNode.get(node) ?? new Map<string, Remembered>();
      byNode.set(node, known);
      const before = known.get(of);
      if (before !== undefined && isSame(before.inputs, inputs)) {
        for (const again of before.reported) again(report);
        // What is kept under a name was made by the work of that name.
        return before.value as T;
      }
      const reported: ((report: Report) => void)[] = [];
      let isDone = false;
      const recording: Report = (code, span: Span, details, related?: Related) => {
        // What asks again later, for an editor, reports nothing of the check.
        if (!isDone) reported.push((to) => to(code, span, details, related));
        report(code, span, details, related);
      };
      const value = work(recording);
      isDone = true;
      known.set(of, { inputs, value, reported });
      return value;
    },
  };
}

/** Finds out everything anew: what every check but those of editors does. */
export const noMemory: ResultsMemory = {
  recall: (_of, _node, _inputs, report, work) => work(report),
};

function isSame(before: readonly unknown[], now: readonly unknown[]): boolean {
  if (before === now) return true;
  return before.length === now.length && before.every((input, index) => input === now[index]);
}
