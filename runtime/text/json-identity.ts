// Texts that are the same only for equal JSON values, made in time linear in the size of a value and all its parts.

/** The identities of lists and objects, by the value that contains them. */
const known = new WeakMap<object, Identities>();

/** Returns the identities of the parts of a value, which does not change as long as it is asked for them. */
export function identitiesOf(root: object): Identities {
  const own = known.get(root) ?? new Identities();
  known.set(root, own);
  return own;
}

/** Gives values texts that are the same only for equal values; the order of an object's keys does not matter. */
export class Identities {
  /** Numbers of lists and objects, by their texts, in which other lists and objects are numbers. */
  readonly #numbers = new Map<string, number>();
  readonly #known = new Map<object, string>();

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
    if (Array.isArray(value)) return `[${value.map((each) => this.of(each)).join()}]`;
    const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${fields.map(([name, each]) => `${JSON.stringify(name)}:${this.of(each)}`).join()}}`;
  }
}
