// Converts the text of a configuration to that of a document: sections without effect are removed, the rest stays as
// written.

import { isMap, isScalar, parseDocument } from "yaml";

/** A top-level section of a configuration. */
export interface Section {
  readonly name: string;
  /** Offset of its key in the text. */
  readonly start: number;
  /** Offset after its last line. */
  readonly end: number;
}

/** Returns the top-level sections of a YAML text in block style; none for any other text, which cannot be cut. */
export function readSections(text: string): readonly Section[] {
  const { contents, errors } = parseDocument(text);
  if (errors.length > 0 || !isMap(contents) || contents.flow === true) return [];
  return contents.items.flatMap(({ key, value }) => {
    if (!isScalar(key) || typeof key.value !== "string" || key.range == null) return [];
    const range = (value as { readonly range?: readonly [number, number, number] | null } | null)?.range;
    const last = Math.max(range?.[1] ?? key.range[1], key.range[1]);
    // A block ends at the beginning of the line after it.
    const isAtLineStart = last > 0 && text[last - 1] === "\n";
    const lineBreak = text.indexOf("\n", last);
    const end = isAtLineStart ? last : lineBreak < 0 ? text.length : lineBreak + 1;
    return [{ name: key.value, start: key.range[0], end }];
  });
}

/** Returns the sections `tests` as they are written in an OpenAPI document, which has `x-tests` instead. */
export function testsOf(text: string, sections: readonly Section[]): string {
  return sections
    .map(
      ({ start, end }) =>
        `${text
          .slice(start, end)
          .replace(/^["']?tests["']?/, "x-tests")
          .trimEnd()}\n`,
    )
    .join("");
}

/** Removes sections from a text, together with the blank lines they leave. Comments above them stay. */
export function withoutSections(text: string, sections: readonly Section[]): string {
  const kept = sections
    .toSorted((one, other) => other.start - one.start)
    .reduce(
      // The map itself may be indented.
      (rest, { start, end }) =>
        rest.slice(0, rest.lastIndexOf("\n", start - 1) + 1) + withoutBlankLines(rest.slice(end)),
      text,
    );
  return `${withoutBlankLines(kept).trimEnd()}\n`;
}

function withoutBlankLines(text: string): string {
  return text.replace(/^(?:[ \t]*\r?\n)+/, "");
}

/** Puts a stream in block style into an OpenAPI document, keeping its paths. `name` is a plain YAML scalar. */
export function wrapStream(text: string, name: string): string {
  const lines = text
    .replace(/^(?:%[^\n]*\n)*---[ \t]*(?:#[^\n]*)?\r?\n/, "")
    .split("\n")
    .filter((line) => line.trimEnd() !== "..." && line.trimEnd() !== "---");
  const indented = lines.map((line) => (line.trim() === "" ? line : `      ${line}`)).join("\n");
  return `openapi: 3.1.0
info: { title: ${name}, version: 1.0.0 }
paths: {}
x-gw-api-gateway:
  info: { name: ${name}, id: ${name}, state: { active: true } }
  server: { listenPath: { value: / } }
x-gw-streaming:
  streams:
    ${name}:
${indented.trimEnd()}
`;
}

/** Returns the name of a file as the name of an API: lower case, with hyphens. */
export function apiNameOf(path: string): string {
  const base = path.replace(/^.*[\\/]/, "").replace(/\.[^.]*$/, "");
  const name = base
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
  return /^[a-z]/.test(name) ? name : `stream-${name}`.replace(/-$/, "");
}
