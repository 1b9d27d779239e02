// Slips in YAML and JSON themselves.

import { type Found, type Kind, lineAt, linesAround, replaced, slip } from "../mutation.ts";

const yaml = /\.yaml$/;
const json = /\.json$/;

/** Whether a match is in a block of text (`|`, `>`), whose lines contain no YAML. */
function isInBlock({ text, match }: Found): boolean {
  const lines = text.slice(0, match.index).split("\n");
  const indent = indentOf((text.split("\n")[lines.length - 1] ?? "").replace(/\r$/, ""));
  for (const line of lines.slice(0, -1).reverse()) {
    if (line.trim() === "") continue;
    if (indentOf(line) >= indent) continue;
    return /[|>][-+0-9]*\s*$/.test(line);
  }
  return false;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

export const syntax: readonly Kind[] = [
  replaced(
    "tab for indentation",
    /^ {2,}(?=[\w-]+:)/,
    (found) => (isInBlock(found) ? undefined : "\t"),
    yaml,
  ),
  replaced(
    // Between two keys of one object: the first key may have any indentation.
    "key indented by one blank too many",
    /^( +)[\w-]+: \S.*\n\1(?=[\w-]+:)/,
    (found) => {
      if (isInBlock(found) || /: [|>&]\S*\r?\n/.test(found.match[0])) return undefined;
      return { text: `${found.match[0]} `, lines: linesAround(found, 1) };
    },
    yaml,
  ),
  replaced(
    "key written twice",
    /^( +)[\w-]+: \S.*\n(?=\1[\w-]+:)/,
    (found) => {
      if (isInBlock(found) || /: [|>&]\S*\r?\n/.test(found.match[0])) return undefined;
      return { text: found.match[0] + found.match[0], lines: linesAround(found, 1) };
    },
    yaml,
  ),
  replaced(
    "quote of a text not closed",
    /(?<=: |\[)"[^"\\\n]*"(?=,|\]| *$)/,
    (found) => (isInBlock(found) ? undefined : found.match[0].slice(0, -1)),
    yaml,
  ),
  replaced(
    "bracket of a list not closed",
    /(?<=^[^|#"']*: \[[^[\]{}\n]*)\]$/,
    (found) => ({ text: " ", lines: linesAround(found, 1) }),
    yaml,
  ),
  replaced(
    "no blank after a colon",
    /^( +)(path|topic|subject|url|consumer_group|verb|kind|type): (?=[\w/-]+$)/,
    (found) =>
      isInBlock(found) ? undefined : { text: found.match[0].trimEnd(), lines: linesAround(found, 1, -1) },
    yaml,
  ),
  replaced(
    "anchor that is not there",
    /(?<=[:[] )\*\w+|(?<=\[)\*\w+/,
    ({ match }) => `*${slip(match[0].slice(1))}`,
    yaml,
  ),
  replaced(
    "comma missing in JSON",
    /,(?=\n *")/,
    (found) => ({ text: "", lines: linesAround(found, 1) }),
    json,
  ),
  replaced(
    "comma after the last entry in JSON",
    /(?<=["\d}\]])(?=\n *[}\]])/,
    (found) => ({ text: ",", lines: linesAround(found, 1) }),
    json,
  ),
  replaced("text in single quotes in JSON", /(?<=: )"([^"\\\n]*)"/, ({ match }) => `'${match[1]}'`, json),
  replaced(
    "document broken off",
    /(?<=\n {2,}"[\w-]+": )[{[](?=\n)[\s\S]*$/,
    ({ text, match }) => ({
      text: match[0].slice(0, 1),
      lines: [lineAt(text, match.index), lineAt(text, match.index) + 1],
    }),
    json,
  ),
];
