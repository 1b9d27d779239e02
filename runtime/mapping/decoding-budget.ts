// Limits what is decoded from one message: a few bytes can stand for any number of values.

import { MappingError } from "../errors.ts";
import { mostBytes, mostElements, tooLarge } from "./size-limits.ts";

/** The number of additional values allowed for each byte. */
const valuesPerByte = 8;

/** The remaining allowance of values and bytes for decoding one message of a compact format. */
export class DecodingBudget {
  readonly #format: string;
  #values: number;
  #bytes = mostBytes;

  /** `format`: the name of the format, with which error messages begin. `size`: the size of the message in bytes. */
  constructor(format: string, size: number) {
    this.#format = format;
    this.#values = mostElements + valuesPerByte * size;
  }

  /** Spends `count` values, or anything else that costs as much. Throws a `MappingError` if too few are left. */
  values(count: number): void {
    this.#values -= count;
    if (this.#values < 0)
      throw new MappingError(`${this.#format}: the message holds too many values for its size`);
  }

  /** Spends bytes of values. Throws a `MappingError` if too few are left. */
  bytes(count: number): void {
    this.#bytes -= count;
    if (this.#bytes < 0) throw tooLarge(mostBytes);
  }
}
