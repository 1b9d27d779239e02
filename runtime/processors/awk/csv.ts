// Records of comma-separated values: the input and output modes `csv` and `tsv`.

import { beginsBlank, failure, isOneCharacter } from "./values.ts";

/** How records are read or written. */
export interface CsvMode {
  readonly name: "csv" | "tsv";
  /** The separator and the beginning of comments, as bytes of one character. */
  readonly separator: string;
  readonly comment: string | undefined;
  readonly hasHeader: boolean;
}

/** Reads `INPUTMODE` or `OUTPUTMODE`, such as `csv separator=| header`. `undefined`: the usual mode. */
export function readMode(text: string, direction: "input" | "output"): CsvMode | undefined {
  const [name, ...settings] = text.split(/[\t-\r ]/).filter((word) => word !== "");
  if (name === undefined) return undefined;
  if (name !== "csv" && name !== "tsv") throw failure(`invalid ${direction} mode "${name}"`);
  let separator = name === "csv" ? "," : "\t";
  let comment: string | undefined;
  let hasHeader = false;
  for (const setting of settings) {
    const at = setting.indexOf("=");
    const key = at < 0 ? setting : setting.slice(0, at);
    const value = at < 0 ? "" : setting.slice(at + 1);
    if (key === "separator") separator = character(value, "separator");
    else if (key === "comment" && direction === "input") comment = character(value, "comment character");
    else if (key === "header" && direction === "input") {
      if (value !== "" && value !== "true" && value !== "false")
        throw failure(`invalid header value "${value}"`);
      hasHeader = value !== "false";
    } else throw failure(`invalid ${direction} mode key "${key}"`);
  }
  if ('"\r\n\0'.includes(separator)) throw failure("invalid CSV field separator or comment delimiter");
  if (comment !== undefined && ('"\r\n\0'.includes(comment) || comment === separator))
    throw failure("invalid CSV field separator or comment delimiter");
  return { name, separator, comment, hasHeader };
}

function character(bytes: string, what: string): string {
  if (!isOneCharacter(bytes)) throw failure(`invalid CSV/TSV ${what} "${bytes}"`);
  return bytes;
}

/** Returns the text of a mode. */
export function modeText(mode: CsvMode | undefined): string {
  if (mode === undefined) return "";
  const { name, separator, comment, hasHeader } = mode;
  const parts: string[] = [name];
  if (separator !== (name === "csv" ? "," : "\t")) parts.push(`separator=${separator}`);
  if (comment !== undefined) parts.push(`comment=${comment}`);
  if (hasHeader) parts.push("header");
  return parts.join(" ");
}

/** A record, its fields, and where the next one begins. */
export interface CsvRow {
  readonly fields: string[];
  readonly text: string;
  readonly end: number;
}

/** Reads the record at `from`; `undefined` if there is none. Quotes within fields are kept. */
export function readCsv(text: string, from: number, mode: CsvMode): CsvRow | undefined {
  const reader = new CsvReader(text, from);
  return reader.skip(mode.comment) ? reader.read(mode.separator) : undefined;
}

/** Reads one record line by line. Each search stays within a line, so that the time does not grow with the text. */
class CsvReader {
  readonly #text: string;
  /** The current line with its end, where it begins, and the position in it. */
  #line = "";
  #start: number;
  #at = 0;
  #hasReturn = false;

  constructor(text: string, from: number) {
    this.#text = text;
    this.#start = from;
    this.#load();
  }

  /** Skips comments and empty lines. Returns whether a record follows. */
  skip(comment: string | undefined): boolean {
    while (this.#line !== "") {
      const isComment = comment !== undefined && this.#line.startsWith(comment);
      if (!isComment && withoutLineEnd(this.#line) !== "") return true;
      this.#advance();
    }
    return false;
  }

  read(separator: string): CsvRow {
    const start = this.#start;
    const fields: string[] = [];
    let isLast = false;
    while (!isLast) {
      if (this.#line.charAt(this.#at) === '"') {
        this.#at++;
        isLast = this.#readQuoted(separator, fields);
        continue;
      }
      const found = this.#line.indexOf(separator, this.#at);
      isLast = found < 0;
      fields.push(isLast ? withoutLineEnd(this.#line.slice(this.#at)) : this.#line.slice(this.#at, found));
      this.#at = found + separator.length;
    }
    const end = this.#start + this.#line.length;
    const raw = withoutLineEnd(this.#text.slice(start, end));
    return { fields, text: this.#hasReturn ? raw.replaceAll("\r", "") : raw, end };
  }

  /** Reads a field after its quote. Returns whether it is the last one. */
  #readQuoted(separator: string, fields: string[]): boolean {
    let field = "";
    for (;;) {
      const quote = this.#line.indexOf('"', this.#at);
      if (quote < 0) {
        // The field continues after the line end.
        const part = this.#line.slice(this.#at);
        const isWindows = part.endsWith("\r\n");
        if (isWindows) this.#hasReturn = true;
        field += isWindows ? `${part.slice(0, -2)}\n` : part;
        if (this.#start + this.#line.length < this.#text.length) {
          this.#advance();
          continue;
        }
        fields.push(field);
        return true;
      }
      field += this.#line.slice(this.#at, quote);
      this.#at = quote + 1;
      if (this.#line.charAt(this.#at) === '"') {
        field += '"';
        this.#at++;
      } else if (this.#line.startsWith(separator, this.#at)) {
        this.#at += separator.length;
        fields.push(field);
        return false;
      } else if (withoutLineEnd(this.#line.slice(this.#at, this.#at + 3)) === "") {
        fields.push(field);
        return true;
      } else field += '"';
    }
  }

  #advance(): void {
    this.#start += this.#line.length;
    this.#load();
  }

  #load(): void {
    const end = this.#text.indexOf("\n", this.#start);
    this.#line = this.#text.slice(this.#start, end < 0 ? this.#text.length : end + 1);
    this.#at = 0;
  }
}

function withoutLineEnd(line: string): string {
  if (line.endsWith("\r\n")) return line.slice(0, -2);
  return line.endsWith("\n") ? line.slice(0, -1) : line;
}

/** Returns fields as a record without its line end. */
export function writeCsv(fields: readonly string[], { separator }: CsvMode): string {
  return fields.map((field) => (needsQuotes(field, separator) ? quoted(field) : field)).join(separator);
}

function quoted(field: string): string {
  return `"${field.replaceAll('"', '""')}"`;
}

function needsQuotes(field: string, separator: string): boolean {
  if (field === "") return false;
  return field === "\\." || field.includes(separator) || /["\r\n]/.test(field) || beginsBlank(field);
}
