// The responses to producers once their messages are confirmed.

import { isUtf8 } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Delivered } from "../../component/component.ts";
import { textOf } from "../../component/text.ts";
import { type GatewayError, toGatewayError } from "../../errors.ts";
import { unfit } from "../../grammar/computed-text.ts";
import { answerEmpty, endWithHead, writeFullHead } from "../../http/gateway-messages.ts";
import { isHeader } from "../../http/request-fields.ts";
import type { Batch, Message } from "../../message/message.ts";
import { contentHeaders, filterMetadata, findContentType } from "../../message/metadata.ts";
import { asBuffer, fieldValue } from "../../text/utf8.ts";
import { type AnswerContent, isInert, joinMessages } from "./content-types.ts";
import type { HttpServerInputOptions } from "./generated/input-options.ts";

// Detects the content type from the first bytes (WHATWG MIME Sniffing, sections 6 and 7), as the reference engine does.
/** Number of bytes that are examined. */
const looked = 512;

const text = "text/plain; charset=utf-8";

const html =
  /^[\t\n\f\r ]*<(?:!DOCTYPE HTML|HTML|HEAD|SCRIPT|IFRAME|H1|DIV|FONT|TABLE|A|STYLE|TITLE|B|BODY|BR|P|!--)[ >]/i;

const xml = /^[\t\n\f\r ]*<\?xml/;

/**
 * Types by the beginning of the content, one character per byte. Some also require certain bytes at an offset, or
 * that many bytes. The first match counts.
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

/** Returns whether a byte is a control character that texts do not contain. */
function isBinary(byte: number): boolean {
  return byte < 0x20 && !(byte === 0x09 || byte === 0x0a || byte === 0x0c || byte === 0x0d || byte === 0x1b);
}

/** Returns the type of `content`; `application/octet-stream` for unknown binary content. JSON counts as text. */
function sniffedType(content: Uint8Array): string {
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

/** Answers the caller of `given`. If that fails, returns the reason and has answered nothing. */
export type Replier = (
  response: ServerResponse,
  delivered: Delivered,
  given: Batch,
) => GatewayError | undefined;

/** Headers of the connection, or of the framing of the response, which documents cannot set. */
const ownHeaders = new Set([
  "connection",
  "content-length",
  "keep-alive",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/**
 * Returns a replier. Without a response of the stream, it sends an empty 200. Otherwise it sends the one message, or
 * all of them as `multipart/form-data`, or as `multipart/mixed` or a JSON list if the request accepts only these.
 * `settings` compute the status and headers from the first message. Metadata of all messages become headers; the last
 * message overrides the others.
 */
export function createReplier(settings: NonNullable<HttpServerInputOptions["sync_response"]> = {}): Replier {
  return (response, { response: messages = [] }, given) => {
    if (response.destroyed) return undefined;
    if (messages.length === 0) {
      answerEmpty(response);
      return undefined;
    }
    try {
      const { type, body } = contentOf(messages, { request: response.req, given }, settings);
      const contentType = { "content-type": fieldValue(type) };
      const headers = {
        ...metadataHeaders(settings, messages),
        ...contentType,
        ...writtenHeaders(settings, messages),
        ...(messages.length > 1 && contentType), // a content type in the document applies to the parts
      };
      checkSize(headers);
      const status = statusOf(settings, messages);
      const hasBody = status !== 204 && status !== 304;
      const fields = {
        ...headers,
        ...(hasBody && { "content-length": String(body.byteLength) }),
        "x-content-type-options": "nosniff",
      };
      // Node.js adds another date if it does not see this one.
      if (status !== 200 || "date" in fields) response.writeHead(status, fields);
      else writeFullHead(response, fields);
      if (hasBody) endWithHead(response, body);
      else response.end();
      return undefined;
    } catch (error) {
      return toGatewayError(error, 502, "The response cannot be sent");
    }
  };
}

type Settings = NonNullable<HttpServerInputOptions["sync_response"]>;

function statusOf({ status = "200" }: Settings, messages: Batch): number {
  const text = textOf(status, messages, 0).trim();
  if (!/^[2-5]\d\d$/.test(text)) throw unfit("The status of the response is not between 200 and 599");
  return Number(text);
}

function writtenHeaders({ headers = {} }: Settings, messages: Batch): Readonly<Record<string, string>> {
  const written: Record<string, string> = {};
  for (const [name, text] of Object.entries(headers)) {
    const key = name.toLowerCase();
    if (!ownHeaders.has(key)) written[key] = checked(name, textOf(text, messages, 0));
  }
  return written;
}

function metadataHeaders({ metadata_headers: passes }: Settings, messages: Batch): Record<string, string> {
  if (passes === undefined) return {};
  const passed = messages.flatMap((message) => filterMetadata(message, passes));
  const headers = passed.filter(([name]) => isHeaderName(name));
  return Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), checked(name, value)]));
}

/** Returns whether metadata become a header; names that are not valid header names are left out. */
function isHeaderName(name: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name) && !contentHeaders.has(name.toLowerCase());
}

function checked(name: string, text: string): string {
  const value = fieldValue(text);
  if (isHeader(name, value)) return value;
  throw unfit(`The header ${name} of the response holds characters that headers cannot hold`);
}

/**
 * Largest size of the headers that a message sets, in bytes:
 * clients read 16 KiB of headers, and the gateway adds some.
 */
const largestHeaders = 15 * 1024;

function checkSize(headers: Readonly<Record<string, string>>): void {
  let size = 0;
  for (const [name, value] of Object.entries(headers)) size += name.length + value.length + 4;
  if (size > largestHeaders)
    throw unfit(`The headers of the response are larger than ${largestHeaders} bytes`);
}

function contentOf(messages: Batch, origin: ReplyOrigin, settings: Settings): AnswerContent {
  const [first, ...others] = messages;
  if (first !== undefined && others.length === 0) return { type: typeOf(first, origin), body: first.bytes() };
  return joinMessages(
    messages,
    origin.request,
    (message, index, isMixed) =>
      partType(messages, index, settings) ?? (isMixed ? typeOf : typeOfPart)(message, origin),
  );
}

/**
 * Returns the content type that the document sets for a part. As in the reference engine, only the lower-case
 * spelling of the header name applies to parts.
 */
function partType(messages: Batch, index: number, { headers = {} }: Settings): string | undefined {
  const text = Object.hasOwn(headers, "content-type") ? headers["content-type"] : undefined;
  if (text === undefined) return undefined;
  const type = textOf(text, messages, index);
  checked("content-type", type);
  return type; // not converted with `fieldValue`: the body is UTF-8, unlike headers
}

/**
 * Returns the type that the document set,
 * or else detects it from the first bytes, as the reference engine does for parts.
 */
function typeOfPart(message: Message, origin: ReplyOrigin): string {
  return givenType(message, origin) ?? sniffedType(message.bytes());
}

/** The request of the caller. */
interface ReplyOrigin {
  readonly request: IncomingMessage;
  readonly given: Batch;
}

/**
 * Returns the type that the document set for a message;
 * `undefined` if it is that of the request, or of one of its parts.
 */
function givenType(message: Message, { request }: ReplyOrigin): string | undefined {
  const type = findContentType(message);
  const requested = request.headers["content-type"] ?? "";
  return type === requested || /^multipart\//i.test(requested) ? undefined : type;
}

/**
 * Returns the type that the document set for a message, or else the type of its content. The type of the request only
 * applies to content that is still that of the request.
 */
function typeOf(message: Message, origin: ReplyOrigin): string {
  const given = givenType(message, origin);
  if (given !== undefined) return given;
  if (!origin.given.some((each) => each.bytes() === message.bytes())) return typeOfContent(message);
  const type = findContentType(message);
  // A page elsewhere can make a browser send content with scripts: it must not run as a page of the gateway.
  return type !== undefined && isInert(type) ? type : binary;
}

const binary = "application/octet-stream";

/** Detects JSON only in the form of an object or a list: other JSON texts, such as `42`, count as plain text. */
function typeOfContent(message: Message): string {
  const bytes = message.bytes();
  const isList = bytes[0] === openingBrace || bytes[0] === openingBracket;
  if (isList && message.document() !== undefined) return "application/json";
  return isUtf8(bytes) ? "text/plain; charset=utf-8" : binary;
}

const openingBrace = 0x7b;
const openingBracket = 0x5b;
