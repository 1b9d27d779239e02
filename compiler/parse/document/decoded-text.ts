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
  const pieces: Piece[] = [];
  let text = "";
  return {
    file,
    copy(start, end) {
      if (end <= start) return;
      const last = pieces.at(-1);
      const goesOn = last?.isCopy === true && last.place + text.length - last.at === start;
      if (!goesOn) pieces.push({ at: text.length, place: start, isCopy: true });
      text += file.text.slice(start, end);
    },
    add(added, offset) {
      if (added !== "") pieces.push({ at: text.length, place: offset, isCopy: false });
      text += added;
    },
    finish(end) {
      return {
        text,
        get file() {
          return file.file;
        },
        offsetInFile: (offset) => file.offsetInFile(offset < text.length ? placeIn(pieces, offset) : end),
      };
    },
  };
}

/** A part of a decoded text: characters of the file as they are, or some that stand for what is written at one place. */
interface Piece {
  /** Where it begins in the decoded text. */
  readonly at: number;
  /** Where it begins in the file. */
  readonly place: number;
  readonly isCopy: boolean;
}

/** The place of a character. Texts have far more characters than pieces. */
function placeIn(pieces: readonly Piece[], offset: number): number {
  let low = 0;
  let high = pieces.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((pieces[middle]?.at ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  const piece = pieces[low];
  if (piece === undefined) return 0;
  return piece.isCopy ? piece.place + offset - piece.at : piece.place;
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
