// What one run of a query may cost: the length of a message, or a number in it, can make a query go on for ever.

import { MappingError } from "../../errors.ts";

/** The run has cost more than it may. No `try` of a query catches it. */
export class TooManySteps extends MappingError {
  constructor(most: number) {
    super(`jq: the query takes more than ${most} steps`);
  }
}

/** Counts the steps of a run. */
export class Run {
  readonly #most: number;
  #left: number;

  constructor(most: number) {
    this.#most = most;
    this.#left = most;
  }

  /** Counts steps. Throws `TooManySteps` where there are none left. */
  step(count = 1): void {
    this.#left -= count;
    if (this.#left < 0) throw new TooManySteps(this.#most);
  }

  /** Counts the copying of elements, which is faster than other steps. */
  copy(elements: number): void {
    if (elements > 15) this.step(elements >> 4);
  }
}
