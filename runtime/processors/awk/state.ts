// The state of a run of a program: the message, the records, and the variables.

import type { RE2JS } from "re2js";
import { createGenerator } from "../../mapping/counters.ts";
import { mostBytes, mostElements, tooLarge } from "../../mapping/size-limits.ts";
import type { Value } from "../../message/value.ts";
import type { Logger } from "../../process/log.ts";
import type { Run } from "../jq/run.ts";
import { type CsvMode, modeText, readMode } from "./csv.ts";
import { csvRecordsOf, type InputRecord, type NextRecord, recordsOf } from "./input.ts";
import { patternOf } from "./patterns.ts";
import { CurrentRecord, type RecordSettings } from "./record.ts";
import { AwkArray, type AwkValue, failure, InputText, toInteger, toNumber, toText } from "./values.ts";

/** The message that a program reads and changes. */
export interface ProgramMessage {
  /** Returns the document. Throws if the message is not JSON. */
  document(): Value;
  setDocument(document: Value): void;
  /** Whether a mapping computed the document, so that numbers have types. */
  readonly isMade: boolean;
  /** The paths of integers that the program set. */
  readonly integers: Set<string>;
  metadata(name: string): string | undefined;
  setMetadata(name: string, value: string): void;
  readonly log: Logger;
}

/** The variables with a meaning. */
export const specialNames = [
  "ARGC",
  "CONVFMT",
  "FILENAME",
  "FNR",
  "FS",
  "INPUTMODE",
  "NF",
  "NR",
  "OFMT",
  "OFS",
  "ORS",
  "OUTPUTMODE",
  "RLENGTH",
  "RS",
  "RSTART",
  "RT",
  "SUBSEP",
] as const;

export type SpecialName = (typeof specialNames)[number];

/** The state of a run. */
export class ProgramState implements RecordSettings {
  readonly run: Run;
  readonly message: ProgramMessage;
  readonly record: CurrentRecord = new CurrentRecord(this);
  readonly globals: AwkValue[];
  readonly arrays: readonly AwkArray[];
  /** The variables of the function that runs. */
  locals: AwkValue[] = [];
  localArrays: AwkArray[] = [];
  depth = 0;
  exitStatus = 0;
  seed = 1;
  #draw: (() => number) | undefined;
  CONVFMT = "%.6g";
  OFMT = "%.6g";
  FS = " ";
  RS = "\n";
  OFS = " ";
  ORS = "\n";
  SUBSEP = "\x1c";
  inputMode: CsvMode | undefined = undefined;
  outputMode: CsvMode | undefined = undefined;
  matchStart = 0;
  matchLength = 0;
  /** The value of `return`. */
  returned: AwkValue = undefined;
  readonly #input: string;
  readonly #parts: string[] = [];
  #length = 0;
  #read: NextRecord | undefined;
  #argument = 1;
  #hadInput = false;
  #count = 1;
  #file: AwkValue = undefined;
  #records = 0;
  #fileRecords = 0;
  #terminator = "";
  readonly #argv: AwkArray;
  readonly #names: AwkArray;
  readonly #setGlobal: (name: string, value: AwkValue) => void;

  constructor(
    run: Run,
    message: ProgramMessage,
    input: string,
    { scalars, arrays }: { readonly scalars: readonly string[]; readonly arrays: readonly string[] },
  ) {
    this.run = run;
    this.message = message;
    this.#input = input;
    this.globals = Array.from(scalars, () => undefined);
    this.arrays = arrays.map(() => new AwkArray());
    const named = (name: string) => this.arrays[arrays.indexOf(name)] ?? new AwkArray();
    this.#argv = named("ARGV");
    this.#argv.elements.set("0", "");
    this.#names = named("FIELDS");
    this.#setGlobal = (name, value) => {
      const index = scalars.indexOf(name);
      if (index >= 0) this.globals[index] = value;
    };
  }

  /** Sets a variable of the program by its name; ignores one that the program does not have. */
  setNamed(name: string, value: string): void {
    const special = specialNames.find((each) => each === name);
    if (special === undefined) this.#setGlobal(name, new InputText(value));
    else this.setSpecial(special, new InputText(value));
  }

  special(name: SpecialName): AwkValue {
    switch (name) {
      case "NF":
        return this.record.count;
      case "NR":
        return this.#records;
      case "FNR":
        return this.#fileRecords;
      case "RSTART":
        return this.matchStart;
      case "RLENGTH":
        return this.matchLength;
      case "ARGC":
        return this.#count;
      case "FILENAME":
        return this.#file;
      case "RT":
        return this.#terminator;
      case "INPUTMODE":
        return modeText(this.inputMode);
      case "OUTPUTMODE":
        return modeText(this.outputMode);
      default:
        return this[name];
    }
  }

  setSpecial(name: SpecialName, value: AwkValue): void {
    const integer = () => toInteger(toNumber(value));
    const text = () => toText(value, this.CONVFMT);
    switch (name) {
      case "NF":
        this.record.setCount(integer());
        return;
      case "NR":
        this.#records = integer();
        return;
      case "FNR":
        this.#fileRecords = integer();
        return;
      case "RSTART":
        this.matchStart = integer();
        return;
      case "RLENGTH":
        this.matchLength = integer();
        return;
      case "ARGC":
        if (integer() > 1_000_000) throw failure(`ARGC set too large: ${integer()}`);
        this.#count = integer();
        return;
      case "FILENAME":
        this.#file = value;
        return;
      case "RT":
        this.#terminator = text();
        return;
      case "INPUTMODE":
        this.inputMode = readMode(text(), "input");
        return;
      case "OUTPUTMODE":
        this.outputMode = readMode(text(), "output");
        return;
      default:
        this[name] = text();
        if ((name === "FS" || name === "RS") && this[name].length > 1) patternOf(this[name]);
    }
  }

  /** `rand()`: at least 0 and less than 1. */
  random(): number {
    this.#draw ??= generatorOf(this.seed);
    return (this.#draw() * 2 ** 21 + (this.#draw() >>> 11)) / 2 ** 53;
  }

  /** `srand(seed)` */
  startRandom(seed: number): void {
    this.#draw = generatorOf(seed);
  }

  /** Returns a compiled pattern from a text. */
  pattern(source: AwkValue): RE2JS {
    return patternOf(toText(source, this.CONVFMT));
  }

  /** Reads the next record; `undefined` at the end of the input. */
  nextRecord(): InputRecord | undefined {
    for (;;) {
      this.run.step();
      if (this.#read === undefined && !this.#open()) return undefined;
      this.#terminator = this.RS;
      const record = this.#read?.();
      if (record === undefined) {
        this.#read = undefined;
        continue;
      }
      if (record.terminator !== undefined) this.#terminator = record.terminator;
      this.#records++;
      this.#fileRecords++;
      return record;
    }
  }

  /** `nextfile` */
  skipInput(): void {
    this.#read = undefined;
  }

  /** Begins to read the message, or follows `ARGV`. Returns false after the last one. */
  #open(): boolean {
    if (this.#argument >= this.#count) {
      if (this.#hadInput) return false;
      this.#begin(this.#input);
      return true;
    }
    this.run.step();
    const argument = toText(this.#argv.elements.get(String(this.#argument++)), this.CONVFMT);
    const [, name, value = ""] = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)/.exec(argument) ?? [];
    if (name !== undefined) this.setNamed(name, value);
    else if (argument === "-") this.#begin(this.#hadInput ? "" : this.#input);
    else if (argument !== "") throw failure("can't read from file due to NoFileReads");
    return true;
  }

  #begin(text: string): void {
    this.#hadInput = true;
    this.#file = new InputText("-");
    this.#fileRecords = 0;
    this.#read =
      this.inputMode === undefined
        ? recordsOf(text, this.RS)
        : csvRecordsOf(text, this.inputMode, (names) => {
            this.record.setNames(names);
            this.#names.elements.clear();
            for (const [index, each] of names.entries()) this.#names.elements.set(String(index + 1), each);
          });
  }

  write(text: string): void {
    this.#length += text.length;
    if (this.#length > mostBytes) throw tooLarge(mostBytes);
    this.run.step((text.length >> 4) + 1);
    this.#parts.push(text);
  }

  /** Returns what the program wrote, as bytes. */
  output(): Buffer {
    return Buffer.from(this.#parts.join(""), "latin1");
  }

  /** Sets an element of an array. */
  store({ elements }: AwkArray, key: string, value: AwkValue): void {
    if (!elements.has(key)) {
      if (elements.size >= mostElements) throw failure(`an array has more than ${mostElements} elements`);
      this.run.step(5);
    }
    elements.set(key, value);
  }
}

function generatorOf(seed: number): () => number {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, seed);
  return createGenerator(view.getBigInt64(0));
}
