// What was found out, kept as long as there is room.

/** A map that forgets what was set longest ago when it holds `limit` entries. */
export class BoundedMap<K, V> {
  readonly #limit: number;
  readonly #entries = new Map<K, V>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: K): V | undefined {
    return this.#entries.get(key);
  }

  /** Sets, and makes the entry the newest. */
  set(key: K, value: V): void {
    this.#entries.delete(key);
    if (this.#entries.size >= this.#limit) this.#forgetOldest();
    this.#entries.set(key, value);
  }

  delete(key: K): void {
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }

  #forgetOldest(): void {
    const { value, done } = this.#entries.keys().next();
    if (!done) this.#entries.delete(value);
  }
}
