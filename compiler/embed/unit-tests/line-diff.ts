// Compares two texts by line: a missing line begins with `-`, an additional one with `+`.

import { diffArrays } from "diff";

/** Lines of context around a difference. */
const context = 2;
/** Texts with more differences are shown completely, one after the other: the time to compare grows quadratically. */
const maxEditLength = 2_000;

interface Line {
  readonly mark: " " | "-" | "+";
  readonly text: string;
}

/**
 * Returns the differences between `actual` and `expected` by line; equal lines are left out except near a difference.
 */
export function lineDiff(expected: string, actual: string): readonly string[] {
  const lines = compareLines(expected.split("\n"), actual.split("\n"));
  const shown = lines.map((_, at) =>
    lines.slice(Math.max(0, at - context), at + context + 1).some(({ mark }) => mark !== " "),
  );
  return lines.flatMap(({ mark, text }, at) => {
    if (shown[at] === true) return [`${mark} ${text}`];
    return at === 0 || shown[at - 1] === true ? ["  …"] : [];
  });
}

function compareLines(expected: string[], actual: string[]): readonly Line[] {
  const changes = diffArrays(expected, actual, { maxEditLength }) ?? [
    { value: expected, removed: true, added: false },
    { value: actual, removed: false, added: true },
  ];
  return changes.flatMap(({ value, removed, added }) => {
    const mark = removed ? "-" : added ? "+" : " ";
    return value.map((text): Line => ({ mark, text }));
  });
}
