// Counters and histograms by label values.

/** An instrument for each list of label values, created on demand. Uses nested maps, so that no key has to be built. */
export class ByLabels<T> {
  readonly #create: () => T;
  readonly #root: Branch<T> = { below: new Map(), own: undefined };
  readonly #all: { readonly values: readonly string[]; readonly own: T }[] = [];

  constructor(create: () => T) {
    this.#create = create;
  }

  /** Returns the instrument for these values; all calls must have the same number of values. */
  at(...values: readonly string[]): T {
    let branch = this.#root;
    for (const value of values) {
      let next = branch.below.get(value);
      if (next === undefined) {
        next = { below: new Map(), own: undefined };
        branch.below.set(value, next);
      }
      branch = next;
    }
    if (branch.own === undefined) {
      branch.own = this.#create();
      this.#all.push({ values, own: branch.own });
    }
    return branch.own;
  }

  /** Returns all instruments, in the order of their creation. */
  all(): readonly { readonly values: readonly string[]; readonly own: T }[] {
    return this.#all;
  }
}

interface Branch<T> {
  readonly below: Map<string, Branch<T>>;
  own: T | undefined;
}

/** A counter. */
export class Count {
  value = 0;
}

/** The upper bounds of the histogram buckets, in seconds: from one millisecond to ten seconds. */
export const bounds: readonly number[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

/** A histogram that counts the values between the bounds. */
export class Histogram {
  count = 0;
  sum = 0;
  readonly #between: number[] = bounds.map(() => 0);

  record(value: number): void {
    this.count += 1;
    this.sum += value;
    for (let index = 0; index < bounds.length; index += 1) {
      if (value <= (bounds[index] ?? 0)) {
        this.#between[index] = (this.#between[index] ?? 0) + 1;
        return;
      }
    }
  }

  /** Returns for each bound the number of values up to it. */
  buckets(): readonly (readonly [bound: number, count: number])[] {
    let below = 0;
    return bounds.map((bound, index) => {
      below += this.#between[index] ?? 0;
      return [bound, below];
    });
  }
}
