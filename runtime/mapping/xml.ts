// Converts XML to objects: attributes become keys with a leading `-`, text next to them becomes `#text`, and repeated
// elements become arrays.

import { Parser } from "htmlparser2";
import { MappingError } from "../errors.ts";
import type { Value } from "../message/value.ts";
import { trimmed } from "../text/trim.ts";
import { decodeUtf8 } from "../text/utf8.ts";
import { boolArgument, pluginBytes } from "./arguments.ts";
import { float } from "./numeric.ts";

interface Open {
  readonly name: string;
  readonly entries: Map<string, Value | Value[]>;
  /** Text before the first attribute or child. */
  text: Value | undefined;
}

/**
 * The maximum number of open elements. The parser searches all of them for the one that an end tag closes, so without a
 * limit its time would grow with the square of the text. libxml2 stops at 256.
 */
const mostDepth = 1000;
const noise = "\t\r\b\n ";
const number = /^[-+]?([0-9]+(?:\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?$/;

/** `.parse_xml(cast)`: ignores what follows the outermost element. */
export function parseXml(target: Value, _from: string, cast: Value): Value {
  const casts = boolArgument("method 'parse_xml'", "cast", cast);
  const bytes = pluginBytes(target);
  try {
    return readXml(bytes, casts);
  } catch (error) {
    throw error instanceof MappingError ? new MappingError(error.answer) : error;
  }
}

/** Returns the outermost element of a document; with `casts`, texts of numbers and booleans become those. */
export function readXml(bytes: Uint8Array, casts: boolean): Value {
  const tree = new TreeBuilder(casts);
  const text = decodeUtf8(bytes);
  const parser = new Parser(tree, { xmlMode: true, decodeEntities: true });
  parser.write(text);
  if (tree.result !== undefined) return tree.result;
  const line = text.split("\n").length;
  throw notXml(tree.begun ? `XML syntax error on line ${line}: unexpected EOF` : "EOF");
}

/** Returns the failure of a document. For callers it says what was parsed, as only the method does in the reference engine. */
function notXml(reason: string): MappingError {
  return new MappingError(reason, `failed to parse value as XML: ${reason}`);
}

/** Builds an object from parser events. `result` is set when the outermost element has ended. */
export class TreeBuilder {
  readonly #casts: boolean;
  readonly #open: Open[] = [];
  #attributes: [string, Value][] = [];
  #text = "";
  begun = false;
  result: Value | undefined;

  constructor(casts: boolean) {
    this.#casts = casts;
  }

  onopentagname(): void {
    this.begun = true;
    this.#endText();
    this.#attributes = [];
  }

  onattribute(name: string, value: string, quote?: string | null): void {
    const key = localName(name);
    this.#attributes.push([`-${key}`, this.#cast(quote === undefined ? key : value)]);
  }

  onopentag(name: string): void {
    if (this.#open.length >= mostDepth) throw notXml(`more than ${mostDepth} elements in each other`);
    this.#open.push({ name: localName(name), entries: new Map(this.#attributes), text: undefined });
  }

  ontext(text: string): void {
    this.#text += text;
  }

  oncomment(): void {
    this.#endText();
  }

  oncdatastart(): void {
    this.#endText();
  }

  oncdataend(): void {
    this.#endText();
  }

  onprocessinginstruction(): void {
    this.#endText();
  }

  onclosetag(): void {
    this.#endText();
    const closed = this.#open.pop();
    if (closed === undefined || this.result !== undefined) return;
    const value = elementValue(closed);
    const parent = this.#open.at(-1);
    if (parent === undefined) this.result = Object.fromEntries([[closed.name, value]]);
    else addChild(parent, closed.name, value);
  }

  /** Ends a run of text. Of several runs in an element, the last one counts. */
  #endText(): void {
    const text = trimmed(this.#text, noise);
    this.#text = "";
    const current = this.#open.at(-1);
    if (text === "" || current === undefined) return;
    if (current.entries.size > 0) current.entries.set("#text", this.#cast(text));
    else current.text = this.#cast(text);
  }

  #cast(text: string): Value {
    if (!this.#casts) return text;
    if (number.test(text) && Number.isFinite(Number(text))) return float(Number(text));
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

/** Returns a name without its namespace. */
function localName(name: string): string {
  const parts = name.split(":");
  const [space, local] = parts;
  return parts.length === 2 && space !== "" && local !== undefined && local !== "" ? local : name;
}
