// The sequences of keys objects have. Documents of one stream repeat them, so the order in which keys are
// printed is worked out once for each sequence, and found again by comparing keys, not by sorting them.

import { quoteJson, sortKeys } from "./json-print.ts";
import type { ObjectValue } from "./value.ts";

/** Bounds of the memory shapes can take, whatever documents hold. */
const mostShapes = 4096;
const mostKeys = 64;
const longestKey = 100;
const mostFollowers = 32;

/** A sequence of keys: that of another shape and one more. */
export class Shape {
  readonly #before: Shape | undefined;
  readonly #last: string;
  readonly #depth: number;
  #others: Map<string, Shape> | undefined;
  #keys: readonly string[] | undefined;
  #leads: readonly Uint8Array[] | undefined;
  /** The key that came first after these, and the shape it led to. */
  key: string | undefined;
  next: Shape | undefined;

  constructor(before?: Shape, last = "") {
    this.#before = before;
    this.#last = last;
    this.#depth = before === undefined ? 0 : before.#depth + 1;
  }

  /** The keys in the order they are printed. */
  keys(): readonly string[] {
    this.#keys ??= sortKeys(this.#sequence());
    return this.#keys;
  }

  /** What is printed before the value of each key: `{"a":` or `,"b":`. */
  leads(): readonly Uint8Array[] {
    this.#leads ??= this.keys().map((key, index) => leadOf(key, index));
    return this.#leads;
  }

  /** The shape with one more key; `undefined` where keeping it is not worth the memory. */
  follow(key: string): Shape | undefined {
    const known = this.#others?.get(key);
    if (known !== undefined) return known;
    if (this.#depth === mostKeys || key.length > longestKey) return undefined;
    if (this.#others?.size === mostFollowers) return undefined;
    const made = new Shape(this, key);
    if (this.key === undefined) {
      this.key = key;
      this.next = made;
    } else {
      this.#others ??= new Map();
      this.#others.set(key, made);
    }
    count++;
    return made;
  }

  #sequence(): string[] {
    const keys: string[] = [];
    for (let shape: Shape = this; shape.#before !== undefined; shape = shape.#before) {
      keys.push(shape.#last);
    }
    return keys.reverse();
  }
}

let empty = /* @__PURE__ */ new Shape();
let count = 0;

/** The shape of an object; `undefined` for objects that are too large or unusual to keep one. */
export function shapeOf(object: ObjectValue): Shape | undefined {
  if (count > mostShapes) {
    empty = new Shape();
    count = 0;
  }
  let shape = empty;
  for (const key in object) {
    const next = shape.key === key ? shape.next : shape.follow(key);
    if (next === undefined) return undefined;
    shape = next;
  }
  return shape;
}

/** What is printed before the value of the key at `index`. */
export function leadOf(key: string, index: number): Uint8Array {
  return Buffer.from(`${index === 0 ? "{" : ","}${quoteJson(key)}:`);
}
