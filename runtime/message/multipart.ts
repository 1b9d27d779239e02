// Reads and writes multipart bodies (RFC 2046) that are entirely in memory.

import { crypto } from "../process/builtins.ts";
import { trimmed } from "../text/trim.ts";

/** A part to write, with its headers in order. Header values contain no line breaks. */
export interface WrittenPart {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly content: Uint8Array;
}

/** A multipart body, and the boundary that its content type has to name. */
export interface WrittenMultipart {
  readonly boundary: string;
  readonly body: Buffer;
}

/** Writes the parts with a random boundary, which no part can contain. */
export function printMultipart(parts: readonly WrittenPart[]): WrittenMultipart {
  const boundary = crypto().randomUUID();
  const pieces = parts.flatMap(({ headers, content }) => [
    Buffer.from(`--${boundary}\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`),
    content,
    Buffer.from(lineBreak),
  ]);
  return { boundary, body: Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]) };
}

/** A part of a multipart body. */
export interface MultipartPart {
  /** Empty if the part has no content type. */
  readonly contentType: string;
  readonly content: Buffer;
}

const boundaryPattern = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i;
const lineBreak = "\r\n";
/** More parts than a sensible batch has. */
const maxParts = 1_000;

/** Returns the boundary of a `multipart/*` content type: empty if it names none, `undefined` for other types. */
export function boundaryOf(contentType: string): string | undefined {
  if (!/^multipart\//i.test(contentType)) return undefined;
  const [, quoted, bare] = boundaryPattern.exec(contentType) ?? [];
  return quoted ?? bare ?? "";
}

/**
 * Returns the parts in order, with contents that are slices of `body`. `undefined` if the body does not match the
 * boundary or has more than 1000 parts.
 */
export function parseMultipart(body: Buffer, boundary: string): readonly MultipartPart[] | undefined {
  if (boundary === "") return undefined;
  const dashes = Buffer.from(`--${boundary}`);
  const delimiter = Buffer.concat([Buffer.from(lineBreak), dashes]);
  const parts: MultipartPart[] = [];
  // The first delimiter has no line break before it if the body starts with it.
  const isFirst = body.subarray(0, dashes.length).equals(dashes);
  const first = isFirst ? 0 : body.indexOf(delimiter);
  let start = first === -1 ? -1 : first + (isFirst ? dashes : delimiter).length;
  while (start !== -1) {
    if (body.subarray(start, start + 2).toString("latin1") === "--") return parts;
    const next = body.indexOf(delimiter, start);
    const part = next === -1 ? undefined : parsePart(body.subarray(start, next));
    if (part === undefined || parts.length === maxParts) return undefined;
    parts.push(part);
    start = next + delimiter.length;
  }
  return undefined;
}

/** Parses the text between two delimiters: the rest of the line, header lines, an empty line and the content. */
function parsePart(text: Buffer): MultipartPart | undefined {
  const lineEnd = text.indexOf(lineBreak);
  if (lineEnd === -1 || text.subarray(0, lineEnd).toString("latin1").trim() !== "") return undefined;
  const headEnd = text.indexOf(lineBreak + lineBreak, lineEnd);
  if (headEnd === -1) return undefined;
  const head = text.subarray(lineEnd, headEnd).toString("utf8");
  return { contentType: contentTypeOf(head), content: text.subarray(headEnd + 2 * lineBreak.length) };
}

/** Returns the value of the first `Content-Type` field of the header lines (RFC 2046, section 5.1). */
function contentTypeOf(head: string): string {
  for (const line of head.split(/[\r\n]/)) {
    const colon = line.indexOf(":");
    if (colon > 0 && line.slice(0, colon).toLowerCase() === "content-type") {
      return trimmed(line.slice(colon + 1), " \t");
    }
  }
  return "";
}
