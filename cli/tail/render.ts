// Renders messages of a stream as text or as lines of JSON.

import { createColors } from "picocolors";
import { printable, useColor } from "../../compiler/cli/terminal.ts";
import type { TailedMessage } from "../management-client.ts";

/** Returns a message with a line break, for people or as one line of JSON. */
export function renderMessage(message: TailedMessage, json: boolean): string {
  if (json) return `${JSON.stringify(message)}\n`;
  const { at, gateway, size, isDeadLetter, metadata, content, isCut } = message;
  const head = [at, gateway, `${size} bytes`, ...(isDeadLetter ? ["dead letter"] : [])]
    .map(printable)
    .join("  ");
  const fields = Object.entries(metadata).map(([name, value]) => `  ${printable(name)}: ${printable(value)}`);
  const shown = content === "" && size > 0 ? "(not shown: too large, or no text)" : linesOf(content);
  const { dim } = createColors(useColor(process.stdout));
  const lines = [dim(head), ...fields.map((field) => dim(field)), `${shown}${isCut ? " …" : ""}`];
  return `${lines.join("\n")}\n\n`;
}

/** Returns a line with the number of messages that were not shown. */
export function missedLine(count: number): string {
  return `${count} more ${count === 1 ? "message has" : "messages have"} passed without being shown\n`;
}

/** Returns the lines of the content. Tabs are kept, other control characters are removed. */
function linesOf(content: string): string {
  return content
    .split("\n")
    .map((line) => line.split("\t").map(printable).join("\t"))
    .join("\n");
}
