// What is in flight, held so that it can be freed as soon as it has ended.
//
// A map and a set have entries that are added and removed with each message. V8 links the table that a map has outgrown to the
// next one, for its iterators, and so on. Once one of these tables is in the old generation, all later ones survive with it
// until the whole heap is collected, and so does what they refer to: each message, and the buffer that it was read from.
// Every young object then looks as if it lived long. A copied map has no table before its own.

/** The removed entries after which a map is copied, if they are also twice as many as those that remain. */
const fewestRemoved = 64;

/**
 * Removes an item of a list, so that it is not kept until all others have ended. Returns it; `undefined` if it was removed
 * before.
 */
export function takeOut<T>(items: (T | undefined)[], index: number): T | undefined {
  const item = items[index];
  items[index] = undefined;
  return item;
}

/** A map whose entries are removed soon. */
export class TransientMap<K, V> {
  /** Created with the first entry: every stream has such maps, and many stay empty. */
  #entries: Map<K, V> | undefined;
  #removed = 0;

  get size(): number {
    return this.#entries?.size ?? 0;
  }

  get(key: K): V | undefined {
    return this.#entries?.get(key);
  }

  has(key: K): boolean {
    return this.#entries?.has(key) === true;
  }

  set(key: K, value: V): void {
    this.#entries ??= new Map();
    this.#entries.set(key, value);
  }

  /** Removes an entry. Returns whether it was there. */
  delete(key: K): boolean {
    if (this.#entries?.delete(key) !== true) return false;
    this.#removed += 1;
    if (this.#removed >= fewestRemoved && this.#removed >= 2 * this.#entries.size) {
      this.#entries = new Map(this.#entries);
      this.#removed = 0;
    }
    return true;
  }

  clear(): void {
    this.#entries = undefined;
  }

  /** Returns the present values, in the order in which their keys were added. */
  values(): readonly V[] {
    return this.#entries === undefined ? [] : [...this.#entries.values()];
  }
}

/** A set whose items are removed soon. */
export class TransientSet<T> {
  readonly #items = new TransientMap<T, T>();

  get size(): number {
    return this.#items.size;
  }

  add(item: T): void {
    this.#items.set(item, item);
  }

  has(item: T): boolean {
    return this.#items.has(item);
  }

  /** Removes an item. Returns whether it was there. */
  delete(item: T): boolean {
    return this.#items.delete(item);
  }

  clear(): void {
    this.#items.clear();
  }

  /** Returns the present items, in the order in which they were added. */
  values(): readonly T[] {
    return this.#items.values();
  }
}
