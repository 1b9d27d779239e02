// Renders `Code` as text, with line breaks if a line would be too long.

import type { Code, Part, SharedPart } from "./code.ts";

export interface RenderOptions {
  /** The maximum line width in columns. Text that cannot be broken exceeds it. */
  readonly width?: number;
  /** If false, type annotations are left out, so that the text is JavaScript. */
  readonly types?: boolean;
}

type Mode = "flat" | "broken";
type Item = readonly [indentation: number, mode: Mode, part: Part];

const defaultWidth = 110;

/** Returns the text of a fragment, without a final line break. */
export function renderCode(given: Code, options: RenderOptions = {}): string {
  const layout = { width: options.width ?? defaultWidth, types: options.types ?? true };
  return renderParts(given.parts, 0, layout);
}

type Layout = Required<RenderOptions>;

function renderParts(parts: readonly Part[], outer: number, layout: Layout): string {
  const { width, types } = layout;
  const out: string[] = [];
  const pending: Item[] = [];
  push(pending, outer, "broken", parts);
  let column = 0;
  for (let item = pending.pop(); item !== undefined; item = pending.pop()) {
    const [indentation, mode, part] = item;
    const text = plainText(part, mode);
    if (text !== undefined) {
      out.push(text);
      column += text.length;
    } else if (typeof part === "string" || part.kind === "link" || part.kind === "whenBroken") {
    } else if (part.kind === "break") {
      trimEnd(out);
      out.push("\n", " ".repeat(indentation));
      column = indentation;
    } else if (part.kind === "shared") {
      const lines = renderShared(part, indentation, layout);
      out.push(lines);
      column = lines.length - lines.lastIndexOf("\n") - 1;
    } else if (part.kind === "indent") push(pending, indentation + 2, mode, part.parts);
    else if (part.kind === "annotation") {
      if (types) push(pending, indentation, mode, part.parts);
    } else {
      const fits = mode === "flat" || fitsFlat(part.parts, width - column, pending, types);
      push(pending, indentation, fits ? "flat" : "broken", part.parts);
    }
  }
  trimEnd(out);
  return out.join("");
}

/** The texts of shared parts, by what their layout depends on. */
const knownTexts = new WeakMap<SharedPart, Map<string, string>>();

function renderShared(part: SharedPart, indentation: number, layout: Layout): string {
  const texts = knownTexts.get(part) ?? new Map<string, string>();
  knownTexts.set(part, texts);
  const key = `${indentation} ${layout.width} ${layout.types}`;
  const text = texts.get(key) ?? renderParts(part.parts, indentation, layout);
  texts.set(key, text);
  return text;
}

/** Returns the text of a part that is only text in this mode; `undefined` for all others. */
function plainText(part: Part, mode: Mode): string | undefined {
  if (typeof part === "string") return part;
  if (part.kind === "link") return part.link.local;
  if (part.kind === "whenBroken") return mode === "broken" ? part.text : "";
  if (part.kind === "break" && mode === "flat" && !part.hard) return part.flat;
  return undefined;
}

/** Whether the parts in flat mode, and the text up to the next possible break, fit within `room`. */
function fitsFlat(parts: readonly Part[], room: number, following: readonly Item[], types: boolean): boolean {
  const pending: Item[] = [];
  push(pending, 0, "flat", parts);
  let left = room;
  let next = following.length - 1;
  while (left >= 0) {
    let item = pending.pop();
    if (item === undefined) {
      item = following[next--];
      if (item === undefined) return true;
    }
    const [indentation, mode, part] = item;
    const text = plainText(part, mode);
    if (text !== undefined) left -= text.length;
    else if (typeof part === "string" || part.kind === "link" || part.kind === "whenBroken") continue;
    else if (part.kind === "break") return mode === "broken";
    else if (part.kind !== "annotation" || types) {
      push(pending, indentation, part.kind === "group" ? "flat" : mode, part.parts);
    }
  }
  return false;
}

function push(pending: Item[], indentation: number, mode: Mode, parts: readonly Part[]): void {
  for (let index = parts.length - 1; index >= 0; index--) {
    const part = parts[index];
    if (part !== undefined) pending.push([indentation, mode, part]);
  }
}

/** Removes blanks at the end of a line. */
function trimEnd(out: string[]): void {
  for (let last = out.at(-1); last !== undefined && /^ *$/.test(last); last = out.at(-1)) out.pop();
}
