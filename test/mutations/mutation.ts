// What a kind of mistake is, and what it makes of a document: edits of its text.

/** A correct document or set: its files by path, and the one that is compiled. */
export interface CorrectDocument {
  readonly name: string;
  readonly files: ReadonlyMap<string, string>;
  readonly entry: string;
}

/** One mistake: some characters of one file replaced. */
export interface Mutation {
  readonly file: string;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Lines of the file where it shows, from 1, where a diagnostic counts; those of the new text where not given. */
  readonly lines?: Lines;
  /** The file where it shows, where that is another one: what one file took back is missed by the other. */
  readonly shownIn?: string;
}

/** Line numbers, or how to find them in the file where the mistake shows. */
export type Lines = readonly number[] | ((changed: string) => readonly number[]);

/** A kind of mistake that people make. */
export interface Kind {
  /** The mistake in a few words, as the report shows it. */
  readonly name: string;
  /** Every place of a document where it can be made, in order. */
  mutations(document: CorrectDocument): Iterable<Mutation>;
}

/** What a pattern finds in a file, and how to speak of the lines around it. */
export interface Found {
  readonly match: RegExpExecArray;
  readonly file: string;
  readonly text: string;
}

/** What becomes of a match: new text, with other right lines where the mistake shows elsewhere. */
export type Change =
  | string
  | { readonly text: string; readonly lines: Lines; readonly shownIn?: string }
  | undefined;

/** Each match of `pattern` in files of `type`, changed, unless `change` gives nothing or the same. */
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

/** The number of the line that holds an offset, from 1. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) line += 1;
  return line;
}

/** The numbers of the lines that a pattern matches. */
export function linesWith(text: string, pattern: RegExp): readonly number[] {
  return text.split("\n").flatMap((line, index) => (pattern.test(line) ? [index + 1] : []));
}

/** The line of a match and some more: the one before with -1, the one after with 1. */
export function linesAround({ text, match }: Found, ...offsets: readonly number[]): readonly number[] {
  const line = lineAt(text, match.index);
  return [line, ...offsets.map((offset) => line + offset)];
}

/** A word with two letters swapped, or one left out where they are the same; very short ones get one more. */
export function slip(word: string): string {
  if (word.length < 3) return `${word}x`;
  const at = Math.max(1, Math.floor(word.length / 2) - 1);
  const swapped = `${word.slice(0, at)}${word[at + 1]}${word[at]}${word.slice(at + 2)}`;
  return swapped === word ? `${word.slice(0, at)}${word.slice(at + 1)}` : swapped;
}

/** Whether a `#` before it makes the rest of the line a comment of YAML or of a mapping. */
function isComment(text: string, offset: number): boolean {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  const before = text.slice(start, offset);
  return /^\s*#|\s#\s/.test(before) && !before.includes("sluice-ignore");
}
