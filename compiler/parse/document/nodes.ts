// The scalar nodes of a tree, and the strings that keys and values of documents share. Nodes create their span, their
// decoded text and its table of offsets on first access, and then keep the same objects. They are classes because a
// document has as many of them as it has values.

import { type SourceText, type Span, sliceSource, spanOf } from "../../source/source.ts";
import type { ScalarNode } from "../../trees/document.ts";

/** Returns a scalar whose text appears verbatim in the file, from `start` to `end`. */
export function createPlainScalar(
  file: SourceText,
  value: ScalarNode["value"],
  start: number,
  end: number,
): ScalarNode {
  return new PlainScalar(file, value, start, end);
}

/** Returns a string whose text has to be decoded from the file. `decode` and `findSpan` are called at most once. */
export function createDecodedScalar(
  value: string,
  findSpan: () => Span,
  decode: () => SourceText,
): ScalarNode {
  return new DecodedScalar(value, findSpan, decode);
}

class PlainScalar implements ScalarNode {
  readonly kind = "scalar";
  readonly value: ScalarNode["value"];
  readonly #file: SourceText;
  readonly #start: number;
  readonly #end: number;
  #span: Span | undefined;

  constructor(file: SourceText, value: ScalarNode["value"], start: number, end: number) {
    this.value = value;
    this.#file = file;
    this.#start = start;
    this.#end = end;
  }

  get span(): Span {
    this.#span ??= spanOf(this.#file, this.#start, this.#end);
    return this.#span;
  }

  get text(): SourceText {
    return sliceSource(this.#file, this.#start, this.#end);
  }
}

class DecodedScalar implements ScalarNode {
  readonly kind = "scalar";
  readonly value: string;
  readonly #findSpan: () => Span;
  readonly #decode: () => SourceText;
  #span: Span | undefined;
  #text: SourceText | undefined;

  constructor(value: string, findSpan: () => Span, decode: () => SourceText) {
    this.value = value;
    this.#findSpan = findSpan;
    this.#decode = decode;
  }

  get span(): Span {
    this.#span ??= this.#findSpan();
    return this.#span;
  }

  get text(): SourceText {
    this.#text ??= this.#decode();
    return this.#text;
  }
}

/** Short strings that were seen recently, indexed by a hash of their length and some of their characters. */
const met: string[] = [];

/** Returns one shared copy of a short string that large documents repeat, such as `type`, `string` or `description`. */
export function sharedText(text: string): string {
  const { length } = text;
  if (length === 0 || length > 24) return text;
  const ends = text.charCodeAt(0) * 31 + text.charCodeAt(length - 1) * 7;
  const at = (ends + text.charCodeAt(length >> 1) + length * 127) & 1023;
  const known = met[at];
  if (known === text) return known;
  const own = ownText(text);
  met[at] = own;
  return own;
}

/** Returns a copy of a string: a substring that an engine creates keeps the whole original string in memory. */
function ownText(text: string): string {
  return ` ${text}`.slice(1);
}
