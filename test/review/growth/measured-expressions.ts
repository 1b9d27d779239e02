// Expressions as work on texts made of their own characters: those that the analyser cannot decide, and those that
// search for all matches, where each match can be fast and all of them together slow.

import type { Expression } from "./expressions.ts";
import { pumped } from "./inputs.ts";
import type { Work } from "./measure.ts";

/** Returns the work of finding every match, on each text. */
export function worksOf({ text, source, flags }: Expression): readonly Work[] {
  const expression = new RegExp(source, flags.replace("y", ""));
  return inputsOf(source).map(({ name, make }) => ({
    name: `${text} on ${name}`,
    prepare(size) {
      const input = make(size);
      return () => void input.replace(expression, "");
    },
  }));
}

/** Whether the expression searches for all matches, so that a fast single match does not prove that all are fast. */
export function looksForAll({ flags }: Expression): boolean {
  return flags.includes("g");
}

function inputsOf(source: string) {
  const pieces = piecesOf(source);
  const starts = ["", ...pieces.slice(0, 3)];
  return pieces.flatMap((piece) => starts.map((start) => pumped(piece, [start, "\u0001"])));
}

/** Returns the literal parts of the expression, and a character of each class that it may contain. */
function piecesOf(source: string): readonly string[] {
  const written = source.match(/(?:\\[^\w\s]|[^\\()[\]{}|?*+.^$])+/g) ?? [];
  const plain = written.map((piece) => piece.replaceAll(/\\(.)/g, "$1"));
  const single = [...plain.join("")].filter((character) => !/[a-z0-9]/i.test(character));
  return [...new Set([...plain.slice(0, 6), ...single.slice(0, 6), " ", "\n", "a", "0", "-"])];
}
