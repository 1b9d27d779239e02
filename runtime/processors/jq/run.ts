// What one run of a query may cost: the length of a message, or a number in it, can make a query go on for ever.

import { MappingError } from "../../errors.ts";

/** The run has cost more than it may. No `try` of a query catches it. */
export class TooManySteps extends MappingError {
  constructor(most: number) {
    super(`jq: the query takes more than ${most} steps`);
  }
}

/** The run that is under way: queries do not wait, so there is one at most. */
let active: Run | undefined;

/** Counts steps of the run that is under way, for what works on values alone. Throws `TooManySteps`. */
export function spend(steps: number): void {
  if (steps > 0) active?.step(steps);
}

/** Counts what it takes to go through a text. Throws `TooManySteps`. */
export function spendOnText(text: string): void {
  if (text.length > 15) active?.step(text.length >> 4);
}

/** Counts the steps of a run. */
export class Run {
  readonly #most: number;
  #left: number;

  /** For `most` steps and as many more as the message itself takes. */
  constructor(most: number, allowance = 0) {
    this.#most = most;
    this.#left = most + allowance;
  }

  /** Does work whose steps count for this run. */
  within<T>(work: () => T): T {
    const outer = active;
    active = this;
    try {
      return work();
    } finally {
      active = outer;
    }
  }

  /** Counts steps. Throws `TooManySteps` where there are none left. */
  step(count = 1): void {
    this.#left -= count;
    if (this.#left < 0) throw new TooManySteps(this.#most);
  }

  /** Counts the copying of elements, which is faster than other steps. */
  copy(elements: number): void {
    if (elements > 1) this.step(elements >> 1);
  }
}
