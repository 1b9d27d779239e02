// Collects decoded text together with the place in the file that each of its characters came from.

import { createEmbeddedText, type SourceText } from "../../source/source.ts";

/** A growing text that remembers where it came from. */
export interface DecodedText {
  /** The file it is decoded from. */
  readonly file: SourceText;
  /** Copies the characters of the file from `start` to `end`. */
  copy(start: number, end: number): void;
  /** Adds `text` that stands for what is written at `offset` (an escape, a folded line break). */
  add(text: string, offset: number): void;
  /** The text so far; `end` is the place right after it. */
  finish(end: number): SourceText;
}

/** An empty text decoded from `file`. */
export function createDecodedText(file: SourceText): DecodedText {
  const offsets: number[] = [];
  let text = "";
  return {
    file,
    copy(start, end) {
      text += file.text.slice(start, end);
      for (let at = start; at < end; at++) offsets.push(at);
    },
    add(added, offset) {
      text += added;
      for (let count = 0; count < added.length; count++) offsets.push(offset);
    },
    finish(end) {
      return createEmbeddedText(file, text, Uint32Array.from(offsets.concat(end)));
    },
  };
}

/**
 * Ties a text to the part of the file it was decoded from by looking each character up in order. Exact for
 * what was copied, near enough for the rest; for texts whose decoding rules differ between readers.
 */
export function alignText(file: SourceText, text: string, start: number, end: number): SourceText {
  const offsets = new Uint32Array(text.length + 1);
  let at = start;
  for (let index = 0; index < text.length; index++) {
    const found = file.text.indexOf(text.charAt(index), at);
    const isNear = found !== -1 && found < end;
    offsets[index] = isNear ? found : at;
    if (isNear) at = found + 1;
  }
  offsets[text.length] = Math.min(at, end);
  return createEmbeddedText(file, text, offsets);
}
