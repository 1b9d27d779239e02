// Values remembered for a time, at most so many of them.

interface Entry<T> {
  readonly value: T;
  readonly until: number;
}

/** The value that was set longest ago makes room for a new one. */
export class BoundedCache<T> {
  readonly #entries = new Map<string, Entry<T>>();
  readonly #most: number;
  readonly #age: number;
  readonly #now: () => number;

  /** `age` and what `now` gives are milliseconds; the time of day is not a clock for it, as it may be set. */
  constructor(most: number, age: number, now: () => number = () => performance.now()) {
    this.#most = most;
    this.#age = age;
    this.#now = now;
  }

  get(name: string): T | undefined {
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    if (entry.until > this.#now()) return entry.value;
    this.#entries.delete(name);
    return undefined;
  }

  set(name: string, value: T): void {
    this.#entries.delete(name); // so that it is the youngest
    const [oldest] = this.#entries.keys();
    if (this.#entries.size >= this.#most && oldest !== undefined) this.#entries.delete(oldest);
    this.#entries.set(name, { value, until: this.#now() + this.#age });
  }

  /** Their names, the one that was set longest ago first. */
  names(): readonly string[] {
    return [...this.#entries.keys()];
  }

  delete(name: string): void {
    this.#entries.delete(name);
  }

  clear(): void {
    this.#entries.clear();
  }
}
