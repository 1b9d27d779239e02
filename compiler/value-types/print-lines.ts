// Prints a type as lines for people: on one line if it fits, otherwise laid out like JSON.

import { printFieldName, printLine } from "./print.ts";
import type { ObjectType, RecursiveType, Type } from "./type.ts";
import { membersOf } from "./union.ts";

/** The available space. */
export interface LinesOptions {
  /** The line width in columns. */
  readonly width?: number;
  /**
   * The wanted maximum number of lines. Deeper levels become `object` to meet it; the first level is always printed.
   */
  readonly maximumLines?: number;
}

const indentation = "  ";
const maximumDepth = 12;

/** Returns the lines of a type. A recursive type is expanded once; inside itself it appears by its name. */
export function printTypeLines(
  type: Type,
  { width = 100, maximumLines = 60 }: LinesOptions = {},
): readonly string[] {
  const shown = type.kind === "Recursive" ? type.unfold() : type;
  let best: readonly string[] = [];
  // In order of increasing depth, so that texts that are far too long are never built.
  for (let depth = 1; depth <= maximumDepth; depth++) {
    const lines = layOut(shown, depth, width);
    if (depth > 1 && (lines.length > maximumLines || lines.join() === best.join())) break;
    best = lines;
  }
  return best;
}

/** `lead`: the number of columns of the first line that are already used. */
function layOut(type: Type, depth: number, width: number, lead = 0): readonly string[] {
  const line = printLine(type, depth);
  if (line.length + lead <= width || depth <= 0) return [line];
  switch (type.kind) {
    case "Object":
      return layOutObject(type, depth - 1, width);
    case "Array":
      return withSuffix(bracketed(type.items, layOut(type.items, depth - 1, width, lead + 2)), "[]");
    case "Union":
      return membersOf(type).flatMap((member, index) =>
        withPrefix(index === 0 ? "" : "| ", layOut(member, depth, width, index === 0 ? lead : 2)),
      );
    default:
      return [line];
  }
}

function layOutObject({ fields, rest }: ObjectType, depth: number, width: number): readonly string[] {
  const said = [...fields].filter(([, field]) => field.type.kind !== "Never");
  const entries = said.map(([name, field]) => {
    const prefix = `${printFieldName(name, field)}: `;
    return withPrefix(prefix, layOut(field.type, depth, width - indentation.length, prefix.length));
  });
  if (rest?.kind === "Unknown") entries.push(["…"]);
  else if (rest !== undefined) entries.push(withPrefix("[string]: ", layOut(rest, depth, width)));
  const inner = entries.flatMap((lines) => (lines[0] === "…" ? lines : withSuffix(lines, ",")));
  return ["{", ...inner.map((line) => indentation + line), "}"];
}

/** Adds brackets around the alternatives of an element. */
function bracketed(items: Type, lines: readonly string[]): readonly string[] {
  return membersOf(items).length > 1 ? withPrefix("(", withSuffix(lines, ")")) : lines;
}

function withPrefix(prefix: string, [first = "", ...others]: readonly string[]): readonly string[] {
  return [prefix + first, ...others];
}

function withSuffix(lines: readonly string[], suffix: string): readonly string[] {
  return [...lines.slice(0, -1), (lines.at(-1) ?? "") + suffix];
}

/** Returns the recursive types in the first few levels, each once, to explain the names in the lines. */
export function namedTypesIn(type: Type): readonly RecursiveType[] {
  const found = new Map<RecursiveType["unfold"], RecursiveType>();
  const met = new Set<Type>();
  visit(type, 0);
  return [...found.values()];

  function visit(at: Type, depth: number): void {
    if (depth > maximumDepth || met.has(at)) return;
    met.add(at);
    if (at.kind === "Union") for (const member of at.members) visit(member, depth);
    if (at.kind === "Array") visit(at.items, depth + 1);
    if (at.kind === "Object") {
      for (const field of at.fields.values()) visit(field.type, depth + 1);
      if (at.rest !== undefined) visit(at.rest, depth + 1);
    }
    if (at.kind !== "Recursive" || found.has(at.unfold)) return;
    found.set(at.unfold, at);
    visit(at.unfold(), depth + 1);
  }
}
