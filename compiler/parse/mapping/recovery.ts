// After a mistake: where the next statement begins.

const segment = /[A-Za-z0-9_]+|"[^"\n]*"/;

/** What statements start with, and what people write in the belief that statements start so. */
const statementStart = new RegExp(
  [
    /(?:let|map|meta|import|if|const|var)[ \t]/,
    /root\b/,
    new RegExp(`(?:${segment.source})(?:\\.(?:${segment.source}))*[ \\t]*[-+*/%|]?=(?![=>])`),
    /[$@][A-Za-z0-9_]+[ \t]*=(?![=>])/,
    /\/\//,
  ]
    .map(({ source }) => `^(?:${source})`)
    .join("|"),
);

/**
 * The start of the first line after `from` that looks like a statement and is indented no more than the
 * one that failed at `failed`; undefined when there is none. Lines inside an unclosed block or literal
 * are indented more, so one mistake does not set off others.
 */
export function findNextStatement(text: string, failed: number, from: number): number | undefined {
  const allowed = indentation(text, text.lastIndexOf("\n", failed - 1) + 1);
  for (let lineBreak = text.indexOf("\n", from); lineBreak !== -1; ) {
    const lineStart = lineBreak + 1;
    const lineEnd = text.indexOf("\n", lineStart);
    const indented = indentation(text, lineStart);
    const start = lineStart + indented;
    const line = text.slice(start, lineEnd === -1 ? text.length : lineEnd);
    if (indented <= allowed && statementStart.test(line)) return start;
    lineBreak = lineEnd;
  }
  return undefined;
}

function indentation(text: string, lineStart: number): number {
  let count = 0;
  while (text[lineStart + count] === " " || text[lineStart + count] === "\t") count++;
  return count;
}
