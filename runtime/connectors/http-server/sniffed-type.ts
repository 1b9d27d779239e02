import { asBuffer } from "../../text/utf8.ts";

// The type of content by its first bytes (WHATWG MIME Sniffing, sections 6 and 7), as the reference engine tells it.
/** Bytes of the content that are looked at. */
const looked = 512;

const text = "text/plain; charset=utf-8";
const html =
  /^[\t\n\f\r ]*<(?:!DOCTYPE HTML|HTML|HEAD|SCRIPT|IFRAME|H1|DIV|FONT|TABLE|A|STYLE|TITLE|B|BODY|BR|P|!--)[ >]/i;
const xml = /^[\t\n\f\r ]*<\?xml/;

/**
 * Types by what content begins with, one character a byte; some have certain bytes at an offset, or any there. The first
 * that matches counts.
 */
const signatures: readonly (readonly [type: string, start: string, more?: string, offset?: number])[] = [
  ["application/pdf", "%PDF-"],
  ["application/postscript", "%!PS-Adobe-"],
  ["text/plain; charset=utf-16be", "\xfe\xff", "", 4],
  ["text/plain; charset=utf-16le", "\xff\xfe", "", 4],
  [text, "\xef\xbb\xbf", "", 4],
  ["image/x-icon", "\0\0\x01\0"],
  ["image/x-icon", "\0\0\x02\0"],
  ["image/bmp", "BM"],
  ["image/gif", "GIF87a"],
  ["image/gif", "GIF89a"],
  ["image/webp", "RIFF", "WEBPVP", 8],
  ["image/png", "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", "\xff\xd8\xff"],
  ["audio/aiff", "FORM", "AIFF", 8],
  ["audio/mpeg", "ID3"],
  ["application/ogg", "OggS\0"],
  ["audio/midi", "MThd\0\0\0\x06"],
  ["video/avi", "RIFF", "AVI ", 8],
  ["audio/wave", "RIFF", "WAVE", 8],
  ["video/mp4", "", "ftypmp4", 4],
  ["video/webm", "\x1a\x45\xdf\xa3"],
  ["application/vnd.ms-fontobject", "", "LP", 34],
  ["font/ttf", "\0\x01\0\0"],
  ["font/otf", "OTTO"],
  ["font/collection", "ttcf"],
  ["font/woff", "wOFF"],
  ["font/woff2", "wOF2"],
  ["application/x-gzip", "\x1f\x8b\x08"],
  ["application/zip", "PK\x03\x04"],
  ["application/x-rar-compressed", "Rar!\x1a\x07\0"],
  ["application/x-rar-compressed", "Rar!\x1a\x07\x01\0"],
  ["application/wasm", "\0asm"],
];

/** Control characters that no text has. */
function isBinary(byte: number): boolean {
  return byte < 0x20 && !(byte === 0x09 || byte === 0x0a || byte === 0x0c || byte === 0x0d || byte === 0x1b);
}

/** The type of `content`; `application/octet-stream` for bytes of no known kind. JSON is text. */
export function sniffedType(content: Uint8Array): string {
  const bytes = content.subarray(0, looked);
  const head = asBuffer(bytes).toString("latin1");
  if (html.test(head)) return "text/html; charset=utf-8";
  if (xml.test(head)) return "text/xml; charset=utf-8";
  const found = signatures.find(
    ([, start, more = "", offset = 0]) =>
      head.length >= offset && head.startsWith(start) && head.startsWith(more, offset),
  );
  return found?.[0] ?? (bytes.some(isBinary) ? "application/octet-stream" : text);
}
