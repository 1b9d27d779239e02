// Limits the cost of a run of a query or a template: because of the length of a message, or a number in it, it could run
// forever.

import { MappingError } from "../../errors.ts";

/** The run exceeded its limit. No `try` of a query catches it. */
class TooManySteps extends MappingError {
  constructor(what: string, most: number) {
    super(`${what} takes more than ${most} steps`);
  }
}

/** The current run. Queries and templates are synchronous, so there is at most one. */
let active: Run | undefined;

/**
 * Counts steps of the current run, for functions that only get values. Throws a `TooManySteps` if the limit is
 * exceeded.
 */
export function spend(steps: number): void {
  if (steps > 0) active?.step(steps);
}

/** Counts the cost of reading a text. Throws a `TooManySteps` if the limit is exceeded. */
export function spendOnText(text: string): void {
  spendOnLength(text.length);
}

/** Counts the cost of reading or writing a text of this length, which may be too long to exist. */
export function spendOnLength(length: number): void {
  if (length > 15) active?.step(Math.floor(length / 16));
}

/** Counts the steps of a run. */
export class Run {
  readonly #what: string;
  readonly #most: number;
  #left: number;

  /** `what`: the subject of the failure. `most`: the limit of steps. `allowance`: additional steps for the size of the message. */
  constructor(what: string, most: number, allowance = 0) {
    this.#what = what;
    this.#most = most;
    this.#left = most + allowance;
  }

  /** Calls `work` and counts its steps for this run. */
  within<T>(work: () => T): T {
    const outer = active;
    active = this;
    try {
      return work();
    } finally {
      active = outer;
    }
  }

  /** Counts steps. Throws a `TooManySteps` if none are left. */
  step(count = 1): void {
    this.#left -= count;
    if (this.#left < 0) throw new TooManySteps(this.#what, this.#most);
  }

  /** Counts the copying of elements, which is faster than other steps. */
  copy(elements: number): void {
    if (elements > 1) this.step(elements >> 1);
  }
}
