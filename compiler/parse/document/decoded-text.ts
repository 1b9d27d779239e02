// Collects decoded text and records the place in the file that each of its characters came from.

import { createEmbeddedText, type SourceText } from "../../source/source.ts";

/** A text that is built piece by piece and records where each piece came from. */
export interface DecodedText {
  /** The file that the text is decoded from. */
  readonly file: SourceText;
  /** Copies the characters of the file from `start` to `end`. */
  copy(start: number, end: number): void;
  /** Adds `text` that `length` characters at `offset` stand for (an escape; one character of a folded line break). */
  add(text: string, offset: number, length?: number): void;
  /** Returns the text so far; `end` is the place right after it. */
  finish(end: number): SourceText;
}

/** Returns an empty text that is decoded from `file`. */
export function createDecodedText(file: SourceText): DecodedText {
  const pieces: Piece[] = [];
  let text = "";
  return {
    file,
    copy(start, end) {
      if (end <= start) return;
      const last = pieces.at(-1);
      const goesOn = last?.isCopy === true && last.place + text.length - last.at === start;
      if (!goesOn) pieces.push({ at: text.length, place: start, isCopy: true, length: 1 });
      text += file.text.slice(start, end);
    },
    add(added, offset, length = 1) {
      if (added !== "") pieces.push({ at: text.length, place: offset, isCopy: false, length });
      text += added;
    },
    finish(end) {
      return {
        text,
        get file() {
          return file.file;
        },
        offsetInFile: (offset) => file.offsetInFile(offset < text.length ? placeIn(pieces, offset) : end),
        endInFile: (offset) =>
          file.endInFile(offset < text.length ? placeIn(pieces, offset) + lengthIn(pieces, offset) - 1 : end),
      };
    },
  };
}

/** A part of a decoded text: characters copied from the file, or characters that something at one place stands for. */
interface Piece {
  /** The offset at which it begins in the decoded text. */
  readonly at: number;
  /** The offset at which it begins in the file. */
  readonly place: number;
  readonly isCopy: boolean;
  /** The number of characters in the file that stand for each of its characters. */
  readonly length: number;
}

function placeIn(pieces: readonly Piece[], offset: number): number {
  const piece = pieceAt(pieces, offset);
  if (piece === undefined) return 0;
  return piece.isCopy ? piece.place + offset - piece.at : piece.place;
}

function lengthIn(pieces: readonly Piece[], offset: number): number {
  return pieceAt(pieces, offset)?.length ?? 1;
}

/** Returns the piece of a character by binary search over the pieces, which are far fewer than the characters. */
function pieceAt(pieces: readonly Piece[], offset: number): Piece | undefined {
  let low = 0;
  let high = pieces.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((pieces[middle]?.at ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return pieces[low];
}

/**
 * Maps a text to the part of the file it was decoded from by searching for each character in order. The result is exact
 * for copied characters and approximate for the rest. For texts whose decoding rules differ between readers.
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
