// Converts XML to objects: attributes become keys with a leading `-`, text next to them becomes `#text`, and repeated
// elements become arrays.

import { MappingError } from "../errors.ts";
import type { Value } from "../message/value.ts";
import { trimmed } from "../text/trim.ts";
import { boolArgument, pluginBytes } from "./arguments.ts";
import { readFloat } from "./float-text.ts";
import { float } from "./numeric.ts";
import { notXml } from "./xml-bytes.ts";
import { XmlDecoder, type XmlTree } from "./xml-decoder.ts";

interface Open {
  readonly name: string;
  readonly entries: Map<string, Value | Value[]>;
  /** Text before the first attribute or child. */
  text: Value | undefined;
}

/** The maximum number of open elements, since other parts descend into documents. libxml2 stops at 256. */
const mostDepth = 1000;
const noise = "\t\r\b\n ";

/** `.parse_xml(cast)`: ignores what follows the outermost element. */
export function parseXml(target: Value, _from: string, cast: Value): Value {
  const casts = boolArgument("method 'parse_xml'", "cast", cast);
  const bytes = pluginBytes(target);
  try {
    return readXml(bytes, casts);
  } catch (error) {
    if (!(error instanceof MappingError)) throw error;
    throw new MappingError(`failed to parse value as XML: ${error.message}`, error.answer);
  }
}

/** Returns the outermost element of a document; with `casts`, texts of numbers and booleans become those. */
export function readXml(bytes: Uint8Array, casts: boolean): Value {
  const tree = new TreeBuilder(casts);
  new XmlDecoder(tree).add(bytes, true);
  return tree.result ?? null;
}

/** Builds an object from the parts of a document. `result` is set when the outermost element has ended. */
export class TreeBuilder implements XmlTree {
  readonly #casts: boolean;
  readonly #open: Open[] = [];
  result: Value | undefined;

  constructor(casts: boolean) {
    this.#casts = casts;
  }

  get isComplete(): boolean {
    return this.result !== undefined;
  }

  begin(name: string, attributes: readonly (readonly [string, string])[]): void {
    if (this.#open.length >= mostDepth) throw notXml(`more than ${mostDepth} elements in each other`, "");
    const entries = new Map<string, Value>();
    for (const [key, value] of attributes) entries.set(`-${key}`, this.#cast(value));
    this.#open.push({ name, entries, text: undefined });
  }

  /** Adds a run of text. Of several runs in an element, the last one counts. */
  text(run: string): void {
    const text = trimmed(run, noise);
    const current = this.#open.at(-1);
    if (text === "" || current === undefined) return;
    if (current.entries.size > 0) current.entries.set("#text", this.#cast(text));
    else current.text = this.#cast(text);
  }

  end(): void {
    const closed = this.#open.pop();
    if (closed === undefined) return;
    const value = elementValue(closed);
    const parent = this.#open.at(-1);
    if (parent === undefined) this.result = Object.fromEntries([[closed.name, value]]);
    else addChild(parent, closed.name, value);
  }

  #cast(text: string): Value {
    if (!this.#casts || /^(?:nan|-?inf)$/i.test(text)) return text;
    const number = readFloat(text);
    if (typeof number === "number") return float(number);
    if (/^(?:t|T|true|True|TRUE)$/.test(text)) return true;
    return /^(?:f|F|false|False|FALSE)$/.test(text) ? false : text;
  }
}

function elementValue({ entries, text }: Open): Value {
  if (entries.size === 0) return text ?? "";
  if (text !== undefined) entries.set("#text", text);
  return Object.fromEntries(entries);
}

function addChild(parent: Open, name: string, value: Value): void {
  const known = parent.entries.get(name);
  // A single child is never an array, so an array contains earlier children with the same name.
  if (known === undefined) parent.entries.set(name, value);
  else if (isList(known)) known.push(value);
  else parent.entries.set(name, [known, value]);
}

function isList(value: Value | Value[]): value is Value[] {
  return Array.isArray(value);
}
