// Texts that are the same only for equal JSON values, made in time linear in the size of a value and all its parts.

/** The identities of lists and objects, by the value that contains them. */
const known = new WeakMap<object, Identities>();

/** Returns the text of a number that is at `key` in `parent`: the same for equal numbers, and no other JSON. */
export type NumberText = (number: number, parent: object, key: string | number) => string;

/** Returns the identities of the parts of a value, which does not change as long as it is asked for them. */
export function identitiesOf(root: object, numberText?: NumberText): Identities {
  const own = known.get(root) ?? new Identities(numberText);
  known.set(root, own);
  return own;
}

/** Gives values texts that are the same only for equal values; the order of an object's keys does not matter. */
export class Identities {
  /** Numbers of lists and objects, by their texts, in which other lists and objects are numbers. */
  readonly #numbers = new Map<string, number>();
  readonly #known = new Map<object, string>();
  readonly #numberText: NumberText;

  constructor(numberText: NumberText = (number) => JSON.stringify(number)) {
    this.#numberText = numberText;
  }

  /** Returns the identity of the value at `key` in `parent`. */
  at(parent: object, key: string | number, value: unknown): string {
    return typeof value === "number" ? this.#numberText(value, parent, key) : this.of(value);
  }

  of(value: unknown): string {
    if (typeof value !== "object" || value === null) return JSON.stringify(value);
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    const text = this.#textOf(value);
    const number = this.#numbers.get(text) ?? this.#numbers.size;
    this.#numbers.set(text, number);
    // Not the beginning of any JSON.
    const identity = `#${number}`;
    this.#known.set(value, identity);
    return identity;
  }

  #textOf(value: object): string {
    if (Array.isArray(value)) return `[${value.map((each, index) => this.at(value, index, each)).join()}]`;
    const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${fields.map(([name, each]) => `${JSON.stringify(name)}:${this.at(value, name, each)}`).join()}}`;
  }
}
