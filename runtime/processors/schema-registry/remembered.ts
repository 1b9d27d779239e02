// Schemas that were asked for, kept until they are to be asked for again.

/** One of them. */
interface Kept<T> {
  value: T | undefined;
  /** When to ask again, in milliseconds since the epoch. */
  until: number;
  asking: Promise<T> | undefined;
}

/** How they are kept. */
export interface RememberedOptions<K, T> {
  /** How many at most; the one asked for first goes. */
  readonly most: number;
  /** Milliseconds after which a schema is asked for again; the old one is used meanwhile. */
  readonly age: number;
  readonly load: (key: K) => Promise<T>;
  /** Told of a failure to ask again, while the old one stays. */
  readonly onStale: (error: unknown) => void;
}

/** Milliseconds until a schema that could not be asked for again is asked for once more. */
const pause = 10_000;

/** Values by key, each asked for once at a time. */
export class Remembered<K, T> {
  readonly #kept = new Map<K, Kept<T>>();

  /** The value; rejects as `load` does where there is none yet. */
  async get(key: K, options: RememberedOptions<K, T>): Promise<T> {
    const found = this.#kept.get(key);
    const kept = found ?? { value: undefined, until: 0, asking: undefined };
    if (found === undefined) this.#add(key, kept, options.most);
    if (kept.value !== undefined && kept.until > performance.now()) return kept.value;
    if (kept.asking === undefined) {
      kept.asking = this.#ask(key, kept, options);
      // Told once, however many use the old one meanwhile.
      if (kept.value !== undefined) kept.asking.catch(options.onStale);
    }
    return kept.value ?? kept.asking;
  }

  #add(key: K, kept: Kept<T>, most: number): void {
    const [first] = this.#kept.keys();
    if (this.#kept.size >= most && first !== undefined) this.#kept.delete(first);
    this.#kept.set(key, kept);
  }

  async #ask(key: K, kept: Kept<T>, { load, age }: RememberedOptions<K, T>): Promise<T> {
    try {
      kept.value = await load(key);
      kept.until = performance.now() + age;
      return kept.value;
    } catch (error) {
      kept.until = performance.now() + pause;
      if (kept.value === undefined) this.#kept.delete(key);
      throw error;
    } finally {
      kept.asking = undefined;
    }
  }
}
