// A cache with a maximum age and a maximum number of entries.

interface Entry<T> {
  readonly value: T;
  readonly until: number;
}

/** A cache that removes the oldest entry to make room for a new one. */
export class BoundedCache<T> {
  readonly #entries = new Map<string, Entry<T>>();
  readonly #most: number;
  readonly #age: number;
  readonly #now: () => number;

  /** `age`: milliseconds, as returned by `now`. The time of day is not suitable, since it may be changed. */
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
    this.#entries.delete(name); // so that it becomes the newest entry
    const [oldest] = this.#entries.keys();
    if (this.#entries.size >= this.#most && oldest !== undefined) this.#entries.delete(oldest);
    this.#entries.set(name, { value, until: this.#now() + this.#age });
  }

  /** Returns the names, the oldest first. */
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
