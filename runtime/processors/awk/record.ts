// The current record of a program, and its fields.

import { mostBytes, refuseLarger } from "../../mapping/size-limits.ts";
import { spend, spendOnText } from "../jq/run.ts";
import { type CsvMode, readCsv, writeCsv } from "./csv.ts";
import type { InputRecord } from "./input.ts";
import { patternOf, splitAt } from "./patterns.ts";
import { failure, InputText, isOneCharacter, wordsOf } from "./values.ts";

/** The largest number of a field that a program can set. */
const mostFields = 1_000_000;

/** Splits a text by a field separator: white space, a character, or a regular expression. */
export function splitFields(text: string, separator: string): string[] {
  spendOnText(text);
  const fields = splitBy(text, separator);
  spend(fields.length);
  return fields;
}

function splitBy(text: string, separator: string): string[] {
  if (separator === " ") return wordsOf(text);
  if (text === "") return [];
  if (separator === "") return text.match(character) ?? [];
  return isOneCharacter(separator) ? text.split(separator) : splitAt(patternOf(separator), text);
}

/** A character as bytes; a byte that is not UTF-8 is one of its own. */
const character =
  /[\xc2-\xdf][\x80-\xbf]|(?:\xe0[\xa0-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]|\xed[\x80-\x9f])[\x80-\xbf]|(?:\xf0[\x90-\xbf]|[\xf1-\xf3][\x80-\xbf]|\xf4[\x80-\x8f])[\x80-\xbf]{2}|[\0-\xff]/g;

/** How a record is split and joined, which the program can change at any time. */
export interface RecordSettings {
  FS: string;
  RS: string;
  OFS: string;
  inputMode: CsvMode | undefined;
  outputMode: CsvMode | undefined;
}

/** The current record. Its fields are split when they are first needed. */
export class CurrentRecord {
  readonly #settings: RecordSettings;
  #text = "";
  /** Whether it is a text even if it looks like a number. */
  #isText = false;
  #fields: (string | InputText)[] = [];
  #count = 0;
  #isSplit = false;
  /** The fields that the mode of the input found. */
  #found: string[] | undefined;
  /** The indexes of fields by the names of a header. */
  #names: ReadonlyMap<string, number> | undefined;

  constructor(settings: RecordSettings) {
    this.#settings = settings;
  }

  get text(): string {
    return this.#text;
  }

  /** Begins a record of the input. */
  read({ text, fields }: InputRecord): void {
    this.#begin(text, false);
    this.#found = fields;
  }

  /** Replaces the record by a text. */
  set(text: string): void {
    this.#begin(text, true);
  }

  #begin(text: string, isText: boolean): void {
    this.#text = text;
    this.#isText = isText;
    this.#isSplit = false;
    this.#found = undefined;
  }

  /** `NF` */
  get count(): number {
    this.#split();
    return this.#count;
  }

  setCount(count: number): void {
    if (count < 0) throw failure(`NF set to negative value: ${count}`);
    if (count > mostFields) throw failure(`NF set too large: ${count}`);
    this.#split();
    this.#count = count;
    spend(count >> 2);
    if (this.#fields.length > count) this.#fields.length = count;
    while (this.#fields.length < count) this.#fields.push(new InputText(""));
    this.#join();
  }

  field(index: number): string | InputText {
    if (index === 0) return this.#isText ? this.#text : new InputText(this.#text);
    this.#split();
    return this.#fields[this.#indexOf(index)] ?? "";
  }

  setField(index: number, text: string): void {
    if (index === 0) {
      this.set(text);
      return;
    }
    if (index > mostFields) throw failure(`field index too large: ${index}`);
    this.#split();
    const at = this.#indexOf(index);
    if (at < 0) return;
    spend((Math.max(at, this.#fields.length) >> 2) + 1);
    while (this.#fields.length < at) this.#fields.push("");
    this.#fields[at] = text;
    this.#count = this.#fields.length;
    this.#join();
  }

  /** Receives the names of the fields from a header. */
  setNames(names: readonly string[]): void {
    this.#names = new Map(names.map((name, index) => [name, index + 1]));
  }

  /** `@name` */
  fieldNamed(name: string): string | InputText {
    if (this.#names === undefined)
      throw failure('@ only supported if header parsing enabled; use -H or add "header" to INPUTMODE');
    const index = this.#names.get(name);
    return index === undefined ? "" : this.field(index);
  }

  /** Negative indexes count from the last field. */
  #indexOf(index: number): number {
    return index > 0 ? index - 1 : this.#fields.length + index;
  }

  #split(): void {
    if (this.#isSplit) return;
    this.#isSplit = true;
    this.#fields = this.#parts().map((part) => new InputText(part));
    this.#count = this.#fields.length;
  }

  #parts(): string[] {
    const { FS, RS, inputMode } = this.#settings;
    if (this.#found !== undefined) return this.#found;
    if (inputMode !== undefined) return readCsv(this.#text, 0, inputMode)?.fields ?? [];
    const parts = splitFields(this.#text, FS);
    // Records that are separated by empty lines have a field per line as well.
    if (RS !== "" || !isOneCharacter(FS)) return parts;
    return parts.flatMap((part) =>
      part.split("\n").map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line)),
    );
  }

  #join(): void {
    const texts = this.#fields.map((field) => (typeof field === "string" ? field : field.text));
    this.#text = this.joined(texts);
    this.#isText = true;
  }

  /** Returns texts as a record of the output. */
  joined(texts: readonly string[]): string {
    const { OFS, outputMode } = this.#settings;
    const length = texts.reduce((sum, text) => sum + text.length + OFS.length, 0);
    refuseLarger("a record", length, mostBytes);
    spend(length >> 4);
    return outputMode === undefined ? texts.join(OFS) : writeCsv(texts, outputMode);
  }
}
