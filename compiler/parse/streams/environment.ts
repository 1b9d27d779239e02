// Splits a text into parts: `${NAME}`, `${NAME:default}`, `${file:PATH}`, `$gw_context.name` and the text between them.
// `${{…}}` represents the characters `${…}`. Leaves `${! … }` unchanged. Reports references that cannot be read.

import type { Report } from "../../diagnostics/sink.ts";
import { type SourceText, spanOf } from "../../source/source.ts";
import type { EnvironmentPart } from "../../trees/api.ts";
import {
  type EnvironmentVariable,
  environmentName,
  namedVariable,
  readVariable,
  reportUnknownVariable,
} from "../../trees/named-variables.ts";

/** The beginning of a reference: `${`, a secret of a store, or a variable of the request. */
const beginning = new RegExp(`\\$\\{|${namedVariable}`, "g");

/** Returns the parts of `source` between `from` and `to`. Adjacent text is one part; empty text is left out. */
export function parseEnvironment(
  source: SourceText,
  report: Report,
  from = 0,
  to = source.text.length,
): readonly EnvironmentPart[] {
  const parts: EnvironmentPart[] = [];
  let text = "";
  let at = from;
  while (at < to) {
    beginning.lastIndex = at;
    const found = beginning.exec(source.text);
    if (found === null || found.index >= to) break;
    text += source.text.slice(at, found.index);
    const read =
      found[0] === "${"
        ? readReference(source, found.index, { from, to }, report)
        : readName(source, found, report);
    at = read.end;
    if (typeof read.part === "string") text += read.part;
    else {
      if (text !== "") parts.push({ kind: "Text", text });
      text = "";
      parts.push(read.part);
    }
  }
  text += source.text.slice(at, to);
  if (text !== "") parts.push({ kind: "Text", text });
  return parts;
}

/** A reference. `part` is a string for text, including the text of a reference with an error. */
interface Reference {
  readonly part: EnvironmentPart | string;
  readonly end: number;
}

/** The start and end of a text in its source. */
interface TextRange {
  readonly from: number;
  readonly to: number;
}

function readReference(
  source: SourceText,
  start: number,
  { from, to: limit }: TextRange,
  report: Report,
): Reference {
  const { text } = source;
  if (text.startsWith("${!", start)) return { part: "${!", end: start + 3 };
  if (text.startsWith("${{", start)) {
    const close = text.indexOf("}}", start);
    if (close !== -1 && close < limit) {
      return { part: `\${${text.slice(start + 3, close)}}`, end: close + 2 };
    }
  }
  const close = text.indexOf("}", start);
  const end = close === -1 || close >= limit ? limit : close + 1;
  const written = text.slice(start, end);
  // If a default contains the start of another reference, its own closing brace is missing.
  const isWhole = written.endsWith("}") && !written.includes("${", 2);
  const part = isWhole ? readInside(source, start, end) : undefined;
  if (part === undefined) report("GW4022", spanOf(source, start, end), { written });
  if (part?.kind === "Variable" && start === from && end === limit) checkDefault(part, report);
  return { part: part ?? written, end };
}

/**
 * Reports `${NAME:-default}`, which is how shells write a default. A number may be negative and a part of a text may
 * begin with a dash, but a whole text rarely does.
 */
function checkDefault({ name, fallback = "", span }: EnvironmentVariable, report: Report): void {
  if (/^-(?![\d.]|$)/.test(fallback)) report("GW4027", span, { name, meant: fallback.slice(1) });
}

/** Reads `$gw_context.NAME`, `$gw_meta.NAME`, and `$secret_env.NAME`, which is another spelling of `${NAME}`. */
function readName(source: SourceText, found: RegExpExecArray, report: Report): Reference {
  const part = readVariable(found[0], source, found.index);
  const { end } = part.span;
  if (part.kind !== "Unknown") return { part, end };
  reportUnknownVariable(part, report);
  return { part: part.written, end };
}

function readInside(source: SourceText, start: number, end: number): EnvironmentPart | undefined {
  const inside = source.text.slice(start + 2, end - 1);
  const span = spanOf(source, start, end);
  const colon = inside.indexOf(":");
  const before = colon === -1 ? inside : inside.slice(0, colon);
  const after = colon === -1 ? undefined : inside.slice(colon + 1);
  if (before === "file") return after ? { kind: "File", path: after, span } : undefined;
  if (!environmentName.test(before)) return undefined;
  return { kind: "Variable", name: before, ...(after === undefined ? {} : { fallback: after }), span };
}
