// The templates of a processor, and the state of a run.

import { MappingError } from "../../errors.ts";
import { mostBytes, tooLarge } from "../../mapping/size-limits.ts";
import type { Run } from "../jq/run.ts";
import type { TemplateText, TemplateTree, TextPlace } from "./syntax.ts";
import {
  Dict,
  failure,
  Int,
  int,
  itemsOf,
  type TemplateFunction,
  type TemplateValue,
  typeName,
} from "./values.ts";

/** The templates and functions of a processor. */
export interface TemplateSet {
  readonly trees: ReadonlyMap<string, TemplateTree>;
  /** Returns a function; `undefined` if it does not exist, or after `report` if it is not available. */
  readonly find: (name: string, place: TextPlace, from: TemplateText) => TemplateFunction | undefined;
  /** Receives what can only fail. */
  readonly report: (problem: TemplateProblem) => void;
}

/** A problem in a template. */
export interface TemplateProblem extends TextPlace {
  readonly from: TemplateText;
  readonly message: string;
  readonly hint?: string;
  /** A name that does not exist, and those that do. */
  readonly unknown?: { readonly name: string; readonly among: readonly string[] };
}

/** How deep templates may call each other. */
export const deepest = 1000;

/** The state of a run. */
export class State {
  readonly run: Run;
  text = "";
  depth = 0;
  /** The variables in scope, the latest last. */
  names: string[] = ["$"];
  values: TemplateValue[];
  /** The current place, for failures. */
  from: TemplateText;
  at = 0;

  constructor(run: Run, from: TemplateText, dot: TemplateValue) {
    this.run = run;
    this.from = from;
    this.values = [dot];
  }

  write(text: string): void {
    if (this.text.length + text.length > mostBytes) throw tooLarge(mostBytes);
    this.text += text;
  }

  declare(name: string, value: TemplateValue): void {
    this.names.push(name);
    this.values.push(value);
  }

  /** Returns the index of the latest variable with a name. */
  indexOf(name: string): number {
    const index = this.names.lastIndexOf(name);
    // A declaration inside an argument that was not evaluated.
    if (index < 0) throw failure(`undefined variable: ${name}`);
    return index;
  }

  /** Ends the scope of the variables after the first `count`. */
  leave(count: number): void {
    this.names.length = count;
    this.values.length = count;
  }

  placed({ message, answer }: MappingError): MappingError {
    const before = this.from.text.slice(0, this.at);
    const line = before.split("\n").length;
    const column = this.at - before.lastIndexOf("\n");
    const place = `template: ${this.from.name}:${line}:${column}: `;
    return new MappingError(place + message, place + answer);
  }
}

/** Returns the rounds of a loop: keys or indexes, and elements. */
export function roundsOf(value: TemplateValue): Iterable<readonly [TemplateValue, TemplateValue]> {
  if (value === undefined || value === null) return [];
  if (value instanceof Int) return countTo(value);
  if (value instanceof Dict) return value.entries();
  const items = itemsOf(value);
  if (items !== undefined) return indexed(items);
  throw failure(`a value of type ${typeName(value)} cannot be iterated`);
}

function* countTo({ type, value }: Int): Generator<readonly [TemplateValue, TemplateValue]> {
  for (let next = 0n; next < value; next++) yield [undefined, new Int(type, next)];
}

function* indexed(items: readonly TemplateValue[]): Generator<readonly [TemplateValue, TemplateValue]> {
  // A function may change the list meanwhile, but not its length.
  for (let index = 0; index < items.length; index++) yield [int(index), items[index]];
}
