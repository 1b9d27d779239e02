// The text of a configured value as far as it is known now: what is fixed, and where something comes in
// when the gateway starts or with a message.

import type { EnvironmentPart, FieldNode } from "../../trees/api.ts";
import type { QueryPart } from "../../trees/mapping.ts";

/** Fixed texts in order; between each two of them stands what is not known yet. */
export type TextWithHoles = readonly [string, ...string[]];

/** The text of a value; `undefined` where it holds no text. Variables with a default read as that. */
export function textWithHoles(value: FieldNode): TextWithHoles | undefined {
  switch (value.kind) {
    case "Literal":
      return typeof value.value === "string" ? [value.value] : undefined;
    case "Environment":
      return value.type === "string" || value.type === "list" ? joinParts(value.parts) : undefined;
    case "Template":
      return joinParts(value.parts);
    default:
      return undefined;
  }
}

function joinParts(parts: readonly (EnvironmentPart | QueryPart)[]): TextWithHoles {
  const texts: [string, ...string[]] = [""];
  for (const part of parts) {
    const fixed = fixedText(part);
    if (fixed === undefined) texts.push("");
    else texts.push(`${texts.pop() ?? ""}${fixed}`);
  }
  return texts;
}

function fixedText(part: EnvironmentPart | QueryPart): string | undefined {
  if (part.kind === "Text") return part.text;
  return part.kind === "Variable" ? part.fallback : undefined;
}

/** The value as it was written, short enough for a message. */
export function shownText({ span: { source, start, end } }: FieldNode): string {
  const written = source.text.slice(start, end);
  const [line = ""] = written.split(/[\r\n]/, 1);
  return line.length > 50 || line !== written ? `${line.slice(0, 50)}…` : line;
}
