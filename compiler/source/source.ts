// Source texts and places in them. Every phase refers to text through these three types.

/** A file as read: decoded from UTF-8, without a byte order mark. Offsets are UTF-16 indexes into `text`. */
export interface SourceFile extends SourceText {
  /** The path for display: relative to the working directory if the file is inside it. */
  readonly path: string;
  /** Whether the file begins with a byte order mark. */
  readonly isMarked: boolean;
  /** The offsets at which lines begin; the first is 0. */
  readonly lineStarts: ArrayLike<number>;
}

/**
 * A text that a parser reads: a whole file, or a text decoded from a part of one, such as the mapping inside a YAML
 * block scalar.
 */
export interface SourceText {
  readonly text: string;
  /** The file that contains the text; its newest version if the file was edited. */
  readonly file: SourceFile;
  /** Returns the offset in `file.text` of the character at `offset` of `text`. `text.length` is allowed. */
  offsetInFile(offset: number): number;
  /**
   * Returns the offset in `file.text` right after the character at `offset` of `text`, which may have several characters
   * there, as an escape has.
   */
  endInFile(offset: number): number;
}

/** A half-open range of `source.text`. */
export interface Span {
  readonly source: SourceText;
  readonly start: number;
  readonly end: number;
}

/** A place as people count: from 1, columns in code points. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A span resolved to its file; `end` is exclusive. */
export interface Location {
  readonly file: SourceFile;
  readonly start: Position;
  readonly end: Position;
}

/** Maps places of one version of a file to the newest one, while an editor changes the file. */
export interface EditedPlaces {
  /** The newest version; `undefined` before there is one. */
  readonly newest: SourceFile | undefined;
  /** Returns the offset in the newest version. Replaced text maps to the start of its replacement. */
  offsetInFile(offset: number): number;
}

/**
 * Returns a file for a display path and decoded text. Drops a leading byte order mark. `places`: its places after the
 * changes of an editor.
 */
export function createSourceFile(path: string, content: string, places?: EditedPlaces): SourceFile {
  const isMarked = content.startsWith("\uFEFF");
  const text = isMarked ? content.slice(1) : content;
  const file: SourceFile = {
    path,
    text,
    isMarked,
    get file() {
      return places?.newest ?? file;
    },
    get lineStarts() {
      const found = knownLines.get(file) ?? findLineStarts(text);
      knownLines.set(file, found);
      return found;
    },
    offsetInFile: (offset) => places?.offsetInFile(offset) ?? offset,
    endInFile: (offset) => (places?.offsetInFile(offset) ?? offset) + 1,
  };
  return file;
}

/**
 * Returns a text decoded from another one. `offsets[i]` is the place in `outer` of the character at `i` of `text`. The
 * last entry, one past the text, is the end of the decoded text.
 */
export function createEmbeddedText(outer: SourceText, text: string, offsets: ArrayLike<number>): SourceText {
  const last = offsets[text.length] ?? outer.text.length;
  return {
    text,
    get file() {
      return outer.file;
    },
    offsetInFile: (offset) => outer.offsetInFile(offsets[offset] ?? last),
    endInFile: (offset) => outer.endInFile(offsets[offset] ?? last),
  };
}

/** Returns the part of a source from `start` to `end` as a separate text. */
export function sliceSource(outer: SourceText, start: number, end: number): SourceText {
  return new SourceSlice(outer, start, end);
}

/** A class, because every scalar of a document has one: an object with its own functions takes longer to create. */
class SourceSlice implements SourceText {
  readonly text: string;
  readonly #outer: SourceText;
  readonly #start: number;
  readonly #end: number;

  constructor(outer: SourceText, start: number, end: number) {
    this.text = outer.text.slice(start, end);
    this.#outer = outer;
    this.#start = start;
    this.#end = end;
  }

  get file(): SourceFile {
    return this.#outer.file;
  }

  offsetInFile(offset: number): number {
    return this.#outer.offsetInFile(Math.min(this.#start + offset, this.#end));
  }

  endInFile(offset: number): number {
    return this.#outer.endInFile(Math.min(this.#start + offset, this.#end));
  }
}

/** Returns the offsets of a span in its file. An empty span stays empty, and no span ends before it starts. */
export function offsetsOf({ source, start, end }: Span): { readonly start: number; readonly end: number } {
  const from = source.offsetInFile(start);
  // The end is the place after the last character, not the place of the next one: in decoded text the two differ if a
  // line was folded or indentation was dropped.
  return { start: from, end: end > start ? Math.max(from, source.endInFile(end - 1)) : from };
}

/** Returns the span from `start` to `end` of a source text. */
export function spanOf(source: SourceText, start: number, end: number): Span {
  return { source, start, end };
}

/** Returns the span of a whole source text. */
export function wholeSpan(source: SourceText): Span {
  return { source, start: 0, end: source.text.length };
}

/** Returns the line and column of a file offset. */
export function positionAt(file: SourceFile, offset: number): Position {
  const index = lineIndexOf(file, offset);
  return { line: index + 1, column: columnOf(file, file.lineStarts[index] ?? 0, offset) };
}

/** Characters between places of a long line whose columns are kept. */
const stride = 256;

/** Columns of long lines at every `stride` characters, by the start of the line, found on first access. */
const knownColumns = new WeakMap<SourceFile, Map<number, number[]>>();

/** Returns the column of an offset. A document may be one long line, which is not read again for each diagnostic. */
function columnOf(file: SourceFile, lineStart: number, offset: number): number {
  const wanted = Math.floor((offset - lineStart) / stride);
  if (wanted === 0) return countCodePoints(file.text, lineStart, offset) + 1;
  const ofFile = knownColumns.get(file) ?? new Map<number, number[]>();
  knownColumns.set(file, ofFile);
  const columns = ofFile.get(lineStart) ?? [1];
  ofFile.set(lineStart, columns);
  for (let next = columns.length; next <= wanted; next++) {
    const end = lineStart + next * stride;
    columns.push((columns[next - 1] ?? 1) + countCodePoints(file.text, end - stride, end));
  }
  return (columns[wanted] ?? 1) + countCodePoints(file.text, lineStart + wanted * stride, offset);
}

/** Returns the line that contains an offset, counted from 0. */
export function lineIndexOf({ lineStarts }: Pick<SourceFile, "lineStarts">, offset: number): number {
  let low = 0;
  let high = lineStarts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((lineStarts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Returns the location of a span in its file. An empty span stays empty; a span never ends before it starts. */
export function locate(span: Span): Location {
  const { file } = span.source;
  const { start, end } = offsetsOf(span);
  return { file, start: positionAt(file, start), end: positionAt(file, end) };
}

/** Whether a file is too long for rules to visit all of it: an editor would wait for them after each key. */
export function isLong({ text }: Pick<SourceFile, "text">): boolean {
  return text.length > 1_000_000;
}

/** The line starts of files, found on first access. */
const knownLines = new WeakMap<SourceFile, Uint32Array>();

/**
 * Reuses the known line starts of the previous version for a changed file, so that large texts are not searched again.
 */
export function carryLines(
  before: SourceFile,
  after: SourceFile,
  { start, end, length }: { readonly start: number; readonly end: number; readonly length: number },
): void {
  const known = knownLines.get(before);
  if (known === undefined) return;
  const growth = length - (end - start);
  const first = lineIndexOf({ lineStarts: known }, start) + 1;
  const last = lineIndexOf({ lineStarts: known }, end) + 1;
  const added = lineStartsIn(after.text, start, start + length);
  const lines = new Uint32Array(known.length + first - last + added.length);
  lines.set(known.subarray(0, first));
  lines.set(added, first);
  lines.set(known.subarray(last), first + added.length);
  if (growth !== 0)
    for (let index = first + added.length; index < lines.length; index++)
      lines[index] = (lines[index] ?? 0) + growth;
  knownLines.set(after, lines);
  // The older file no longer needs its line starts: its places map to the newer file.
  knownLines.delete(before);
}

/** Returns the starts of the lines that follow the line breaks in a part of a text. */
function lineStartsIn(text: string, from: number, to: number): Uint32Array {
  let starts = new Uint32Array(64);
  let count = 0;
  for (let at = text.indexOf("\n", from); at !== -1 && at < to; at = text.indexOf("\n", at + 1)) {
    if (count === starts.length) {
      const larger = new Uint32Array(2 * count);
      larger.set(starts);
      starts = larger;
    }
    starts[count++] = at + 1;
  }
  return starts.subarray(0, count);
}

/** Returns the offsets at which the lines of a text begin. */
export function findLineStarts(text: string): Uint32Array {
  const behindBreaks = lineStartsIn(text, 0, text.length);
  const starts = new Uint32Array(behindBreaks.length + 1);
  starts.set(behindBreaks, 1);
  return starts;
}

/** Returns the number of characters that begin in a part of a text. */
function countCodePoints(text: string, from: number, to: number): number {
  const isSecondHalf = from > 0 && (text.codePointAt(from - 1) ?? 0) > 0xffff;
  let count = 0;
  for (let at = isSecondHalf ? from + 1 : from; at < to; count++)
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return count;
}

/** Whether a file is read as JSON. */
export function isJson(file: SourceFile): boolean {
  if (/\.json$/i.test(file.path)) return true;
  return !/\.ya?ml$/i.test(file.path) && /^\s*[{[]/.test(file.text);
}
