// Hovers for YAML anchors and their aliases.

import { locate, offsetsOf } from "../../compiler/source/source.ts";
import type { DocumentNode } from "../../compiler/trees/document.ts";
import type { Analysis } from "../analysis/analysis.ts";
import { anchoredNode } from "../analysis/anchors.ts";
import { namedAt } from "../analysis/names.ts";
import { rangeOf } from "../analysis/positions.ts";
import { codeBlock, type MarkdownHover } from "./markdown.ts";

/** The most lines and characters of a node that a hover shows. */
const longestNode = 20;
const longestText = 4000;

/** Returns the content that an alias stands for, or an anchor marks, and the number of aliases. */
export function hoverOfAnchor(analysis: Analysis, path: string, offset: number): MarkdownHover | undefined {
  const found = namedAt(analysis, path, offset);
  const [declared] = found?.named.kind === "anchor" ? found.named.declarations : [];
  if (found === undefined || declared === undefined) return undefined;
  const { file } = declared.source;
  const document = analysis.set?.documents.find((each) => each.file === file);
  const node = document && anchoredNode(document, declared);
  if (node === undefined) return undefined;
  const { uses } = found.named;
  const often = `Anchor \`&${found.named.name}\` of line ${locate(declared).start.line}, with ${uses.length} ${uses.length === 1 ? "alias" : "aliases"}.`;
  const value = [shownNode(node), often].join("\n\n");
  return { contents: { kind: "markdown", value }, range: rangeOf(found.span) };
}

/** Returns the beginning of a node as it is written, as a code block. */
export function shownNode({ span }: DocumentNode): string {
  const { file } = span.source;
  const { start, end } = offsetsOf(span);
  const lineStart = file.text.lastIndexOf("\n", start - 1) + 1;
  const indent = /^[ \t]*/.exec(file.text.slice(lineStart, start))?.[0] ?? "";
  const lines = file.text
    .slice(start, Math.min(end, start + longestText))
    .split(/\r?\n/)
    .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line));
  const isCut = lines.length > longestNode || end > start + longestText;
  return codeBlock([...lines.slice(0, longestNode), ...(isCut ? ["…"] : [])].join("\n"), "yaml");
}
