// Messages of a stream as text, and as lines of JSON.

import { createColors } from "picocolors";
import { printable, useColor } from "../../compiler/cli/terminal.ts";
import type { TailedMessage } from "../management-client.ts";

/** A message with its line end: for people, or as one line of JSON. */
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

/** How many messages passed without being shown, with its line end. */
export function missedLine(count: number): string {
  return `${count} more ${count === 1 ? "message has" : "messages have"} passed without being shown\n`;
}

/** Content keeps its lines and tabs; what else controls a terminal is taken out. */
function linesOf(content: string): string {
  return content
    .split("\n")
    .map((line) => line.split("\t").map(printable).join("\t"))
    .join("\n");
}
