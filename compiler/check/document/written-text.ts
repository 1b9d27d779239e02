// The text of a configured value as far as it is known now: the fixed parts, and the holes that are filled when the
// gateway starts or for each message.

import type { EnvironmentPart, FieldNode } from "../../trees/api.ts";
import type { QueryPart } from "../../trees/mapping.ts";

/** Fixed texts in order, with an unknown text between each two of them. */
export type TextWithHoles = readonly [string, ...string[]];

/** Returns the text of a value; `undefined` if it is not a text. A variable with a default counts as its default. */
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

/** Returns the value as it is written, short enough for a diagnostic. */
export function shownText({ span: { source, start, end } }: FieldNode): string {
  const written = source.text.slice(start, end);
  const [line = ""] = written.split(/[\r\n]/, 1);
  return line.length > 50 || line !== written ? `${line.slice(0, 50)}…` : line;
}

/**
 * Returns a valid text that a wrong one most likely stands for: with the scheme, the port or the slash that a valid
 * example has, or without those that it has not. `undefined` if there is none, or if the text is not known yet.
 */
export function correctionOf(
  text: string,
  example: string,
  isValid: (text: string) => boolean,
): string | undefined {
  if (/[$\s…]/.test(text)) return undefined;
  const [, scheme] = /^([a-z][a-z\d+.-]*):\/\//i.exec(example) ?? [];
  const [port] = /:\d+$/.exec(example) ?? [];
  const bare = text.replace(/^[a-z\d+.-]*:?\/\//i, "");
  const isLocal = /^(?:localhost|127\.|\[::1\])/.test(bare);
  const schemes = scheme === "https" && isLocal ? ["http"] : scheme === undefined ? [] : [scheme];
  const withoutPath = bare.replace(/[/?#].*$/, "");
  const host = /^(.*):\d+$/.exec(example)?.[1];
  const candidates = [
    // A number alone is a port, not a host.
    ...(scheme === undefined && host !== undefined && /^:?\d+$/.test(text)
      ? [`${host}:${text.replace(":", "")}`]
      : []),
    ...schemes.map((each) => `${each}://${bare}`),
    ...(example.startsWith("/") ? [`/${text}`, `/${text}/`.replace(/^\/+|\/+$/g, "/")] : []),
    ...(scheme === undefined && port !== undefined ? [bare, withoutPath, withoutPath + port] : []),
    ...(/^[\w./-]+$/.test(text) && /^\w+\.\w+$/.test(example) ? [text.replaceAll("/", ".")] : []),
  ];
  return candidates.find((each) => each !== text && /[^/]/.test(each) && isValid(each));
}
