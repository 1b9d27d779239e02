// How much may be decoded of one message: a few bytes can stand for any number of values.

import { MappingError } from "../errors.ts";
import { mostBytes, mostElements, tooLarge } from "./size-limits.ts";

/** Values that each byte may stand for besides. */
const valuesPerByte = 8;

/** What is left of the values and bytes that one message of a compact format may become. */
export class DecodingBudget {
  readonly #format: string;
  #values: number;
  #bytes = mostBytes;

  /** For a message of `size` bytes; `format` begins what is said of one that becomes more. */
  constructor(format: string, size: number) {
    this.#format = format;
    this.#values = mostElements + valuesPerByte * size;
  }

  /** Takes values, and whatever else costs as much. Throws a `MappingError` where too few are left. */
  values(count: number): void {
    this.#values -= count;
    if (this.#values < 0)
      throw new MappingError(`${this.#format}: the message holds too many values for its size`);
  }

  /** Takes bytes of values. Throws a `MappingError` where too few are left. */
  bytes(count: number): void {
    this.#bytes -= count;
    if (this.#bytes < 0) throw tooLarge(mostBytes);
  }
}
