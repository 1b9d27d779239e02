// Defines kinds of mistakes and the edits with which they change the text of a document.

/** A correct document or set: its files by path, and the one that is compiled. */
export interface CorrectDocument {
  readonly name: string;
  readonly files: ReadonlyMap<string, string>;
  readonly entry: string;
}

/** One mistake: a replacement of some characters of one file. */
export interface Mutation {
  readonly file: string;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** The lines, from 1, on which a diagnostic counts as found; by default those of the new text. */
  readonly lines?: Lines;
  /** The file that shows the mistake, if it is another one: it misses something that the changed file no longer contains. */
  readonly shownIn?: string;
}

/** Line numbers, or a function that finds them in the file that shows the mistake. */
export type Lines = readonly number[] | ((changed: string) => readonly number[]);

/** A kind of mistake that people make. */
export interface Kind {
  /** A short description of the mistake for the report. */
  readonly name: string;
  /** Returns every place of a document where the mistake can be made, in order. */
  mutations(document: CorrectDocument): Iterable<Mutation>;
}

/** A match of a pattern in a file, and the functions that find the lines around it. */
export interface Found {
  readonly match: RegExpExecArray;
  readonly file: string;
  readonly text: string;
}

/** The replacement of a match: new text, and the expected lines if the mistake shows elsewhere. */
export type Change =
  | string
  | { readonly text: string; readonly lines: Lines; readonly shownIn?: string }
  | undefined;

/** Changes each match of `pattern` in files of `type`, unless `change` returns nothing or the same text. */
export function replaced(
  name: string,
  pattern: RegExp,
  change: (found: Found, document: CorrectDocument) => Change,
  type: RegExp = /\.(yaml|json)$/,
): Kind {
  return {
    name,
    *mutations(document) {
      for (const [file, text] of document.files) {
        if (!type.test(file)) continue;
        for (const match of text.matchAll(new RegExp(pattern, "gm"))) {
          if (isComment(text, match.index)) continue;
          const changed = change({ match, file, text }, document);
          const given = typeof changed === "string" ? { text: changed } : changed;
          if (given === undefined || given.text === match[0]) continue;
          yield { file, start: match.index, end: match.index + match[0].length, ...given };
        }
      }
    },
  };
}

/** Returns the number of the line that contains an offset, from 1. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) line += 1;
  return line;
}

/** Returns the numbers of the lines that a pattern matches. */
export function linesWith(text: string, pattern: RegExp): readonly number[] {
  return text.split("\n").flatMap((line, index) => (pattern.test(line) ? [index + 1] : []));
}

/** Returns the line of a match and a neighbouring one: -1 adds the line before, 1 the line after. */
export function linesAround({ text, match }: Found, ...offsets: readonly number[]): readonly number[] {
  const line = lineAt(text, match.index);
  return [line, ...offsets.map((offset) => line + offset)];
}

/** Swaps two letters of a word, or removes one if they are equal; very short words get an extra letter. */
export function slip(word: string): string {
  if (word.length < 3) return `${word}x`;
  const at = Math.max(1, Math.floor(word.length / 2) - 1);
  const swapped = `${word.slice(0, at)}${word[at + 1]}${word[at]}${word.slice(at + 2)}`;
  return swapped === word ? `${word.slice(0, at)}${word.slice(at + 1)}` : swapped;
}

/** Whether a preceding `#` makes the rest of the line a comment of YAML or of a mapping. */
function isComment(text: string, offset: number): boolean {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  const before = text.slice(start, offset);
  return /^\s*#|\s#\s/.test(before) && !before.includes("sluice-ignore");
}
