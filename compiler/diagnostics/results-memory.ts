// Caches results of checks of a text that changes, for editors: results that depend on nothing that changed are reused,
// and the problems that were reported with them are reported again.

import type { Span } from "../source/source.ts";
import type { Related } from "./diagnostic.ts";
import type { Report } from "./sink.ts";

/** Caches results between checks. Results of nodes that no longer exist are dropped. */
export interface ResultsMemory {
  /**
   * Returns the result of `work`, cached. It may depend only on `node` and the values that `inputs` returns, which are
   * compared by identity. `of` names one of several results of a node. The problems of `work` are reported each time.
   */
  recall<T>(of: string, node: object, inputs: Inputs, report: Report, work: Work<T>): T;
}

/** Returns the inputs. Called only if results are cached. */
type Inputs = () => readonly unknown[];

/** Returns a result and reports problems to the report that is passed to it. */
type Work<T> = (report: Report) => T;

interface Remembered {
  readonly inputs: readonly unknown[];
  readonly value: unknown;
  readonly reported: readonly ((report: Report) => void)[];
}

/** Returns an empty memory. */
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
        // The cached result under a name was created by the work of that name, so it has its type.
        return before.value as T;
      }
      const reported: ((report: Report) => void)[] = [];
      let isDone = false;
      const recording: Report = (code, span: Span, details, related?: Related) => {
        // A later call on demand, from an editor, does not belong to the check.
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

/** Calls `work` each time, as every check except those of editors does. */
export const noMemory: ResultsMemory = {
  recall: (_of, _node, _inputs, report, work) => work(report),
};

function isSame(before: readonly unknown[], now: readonly unknown[]): boolean {
  if (before === now) return true;
  return before.length === now.length && before.every((input, index) => input === now[index]);
}
