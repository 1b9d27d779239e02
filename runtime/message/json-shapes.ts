// Caches the key sequences of objects. Documents of one stream repeat them, so the print order of the keys is computed
// once for each sequence. Later objects find it by comparing keys, without sorting.

import { quoteJson, sortKeys } from "./json-print.ts";
import type { ObjectValue } from "./value.ts";

/** Limits of the memory used by shapes, whatever documents contain. */
const mostShapes = 4096;
const mostKeys = 64;
const longestKey = 100;
const mostFollowers = 32;

/** A sequence of keys: the sequence of another shape and one more key. */
export class Shape {
  readonly #before: Shape | undefined;
  readonly #last: string;
  readonly #depth: number;
  #others: Map<string, Shape> | undefined;
  #keys: readonly string[] | undefined;
  #leads: readonly Lead[] | undefined;
  /** The first key that followed this sequence, and the shape it led to. `""` until a key followed. */
  key = "";
  next: Shape | undefined;

  constructor(before?: Shape, last = "") {
    this.#before = before;
    this.#last = last;
    this.#depth = before === undefined ? 0 : before.#depth + 1;
  }

  /** Returns the keys in the order in which they are printed. */
  keys(): readonly string[] {
    this.#keys ??= sortKeys(this.#sequence());
    return this.#keys;
  }

  /** Returns the text before the value of each key: `{"a":` or `,"b":`. */
  leads(): readonly Lead[] {
    this.#leads ??= this.keys().map((key, index) => leadOf(key, index));
    return this.#leads;
  }

  /** Returns the shape with one more key; `undefined` if keeping that shape would exceed the limits. */
  follow(key: string): Shape | undefined {
    const known = this.key === key ? this.next : this.#others?.get(key);
    if (known !== undefined) return known;
    if (this.#depth === mostKeys || key.length > longestKey) return undefined;
    if (this.#others?.size === mostFollowers) return undefined;
    const made = new Shape(this, key);
    if (this.next === undefined) {
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

/** Returns the shape of an object; `undefined` if the object exceeds the limits. */
export function shapeOf(object: ObjectValue): Shape | undefined {
  if (count > mostShapes) {
    empty = new Shape();
    count = 0;
  }
  let shape = empty;
  for (const key in object) {
    const next: Shape | undefined = (shape.key === key ? shape.next : undefined) ?? shape.follow(key);
    if (next === undefined) return undefined;
    shape = next;
  }
  return shape;
}

/** Text that is written often, as words of four bytes: copying words is several times faster than copying bytes. */
export interface Lead {
  readonly words: Int32Array;
  /** The number of bytes of the text. The last word may be padded. */
  readonly length: number;
}

/** Returns the text before the value of the key at `index`. */
export function leadOf(key: string, index: number): Lead {
  return textLead(`${index === 0 ? "{" : ","}${quoteJson(key)}:`);
}

/** Returns a text for writing it often. */
export function textLead(text: string): Lead {
  const bytes = Buffer.from(text);
  const padded = new DataView(new ArrayBuffer(Math.ceil(bytes.length / 4) * 4));
  for (const [at, byte] of bytes.entries()) padded.setUint8(at, byte);
  const words = Int32Array.from({ length: padded.byteLength / 4 }, (_, at) => padded.getInt32(at * 4, true));
  return { words, length: bytes.length };
}
