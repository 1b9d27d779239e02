/** Number of removed places from which it pays to give them back. */
const worthCopying = 32;

/**
 * A queue. `Array.prototype.shift` moves all other items once an array has more than some 16,000: a batch of 100,000
 * messages, or a fetch of short records, would take quadratic time.
 */
export class Fifo<T> {
  #items: (T | undefined)[] = [];
  /** The place of the first item. The places before it are empty. */
  #start = 0;

  get length(): number {
    return this.#items.length - this.#start;
  }

  /** Returns an item by its distance from the first one. */
  at(distance: number): T | undefined {
    return this.#items[this.#start + distance];
  }

  push(item: T): void {
    this.#items.push(item);
  }

  /** Removes and returns the first item. */
  shift(): T | undefined {
    const item = this.#items[this.#start];
    if (this.length === 0) return undefined;
    this.#items[this.#start] = undefined;
    this.#start += 1;
    if (this.#start >= worthCopying && this.#start * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#start);
      this.#start = 0;
    }
    return item;
  }

  /** Removes an item, which is quick for the first one. Returns whether it was there. */
  delete(item: T): boolean {
    const place = this.#items.indexOf(item, this.#start);
    if (place === this.#start) this.shift();
    else if (place >= 0) this.#items.splice(place, 1);
    return place >= 0;
  }

  has(item: T): boolean {
    return this.#items.includes(item, this.#start);
  }

  /** Returns the items from one distance up to another one. */
  slice(from: number, to: number): readonly T[] {
    return this.#items.slice(this.#start + from, this.#start + to) as T[];
  }

  values(): readonly T[] {
    return this.#items.slice(this.#start) as T[];
  }

  /** Removes and returns the items from a distance on. */
  splice(distance: number): readonly T[] {
    return this.#items.splice(this.#start + distance) as T[];
  }
}
