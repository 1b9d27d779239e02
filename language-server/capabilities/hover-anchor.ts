// What is said of an anchor of YAML and of its aliases.

import type { Hover } from "vscode-languageserver";
import { locate, offsetsOf } from "../../compiler/source/source.ts";
import type { Analysis } from "../analysis/analysis.ts";
import { anchoredNode } from "../analysis/anchors.ts";
import { namedAt } from "../analysis/names.ts";
import { rangeOf } from "../analysis/positions.ts";
import { codeBlock } from "./markdown.ts";

/** Lines of what an anchor stands for that a hover shows. */
const longestAnchored = 20;

/** What an alias stands for, and how often what is behind an anchor is repeated. */
export function hoverOfAnchor(analysis: Analysis, path: string, offset: number): Hover | undefined {
  const found = namedAt(analysis, path, offset);
  const [declared] = found?.named.kind === "anchor" ? found.named.declarations : [];
  if (found === undefined || declared === undefined) return undefined;
  const { file } = declared.source;
  const document = analysis.set?.documents.find((each) => each.file === file);
  const node = document && anchoredNode(document, declared);
  if (node === undefined) return undefined;
  const { start, end } = offsetsOf(node.span);
  const lineStart = file.text.lastIndexOf("\n", start - 1) + 1;
  const indent = /^[ \t]*/.exec(file.text.slice(lineStart, start))?.[0] ?? "";
  const lines = file.text
    .slice(start, end)
    .split(/\r?\n/)
    .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line));
  const shown = lines.length > longestAnchored ? [...lines.slice(0, longestAnchored), "…"] : lines;
  const { uses } = found.named;
  const often = `Anchor \`&${found.named.name}\` of line ${locate(declared).start.line}, with ${uses.length} ${uses.length === 1 ? "alias" : "aliases"}.`;
  const value = [codeBlock(shown.join("\n"), "yaml"), often].join("\n\n");
  return { contents: { kind: "markdown", value }, range: rangeOf(found.span) };
}
